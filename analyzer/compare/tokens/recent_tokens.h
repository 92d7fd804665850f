#pragma once
/*
 * recent_tokens - remembers which tokens occurred recently in an answer.
 *
 * A hash set of fixed size. In rare cases a new token overwrites an older one, which then counts
 * as not seen.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* tokens; larger than the usual window of engines' repetition penalties */
#define RECENT_TOKENS_WINDOW 256
#define RECENT_TOKENS_SETS 512

struct recent_token {
	uint64_t hash;
	uint32_t end;   /* its latest position + 1; 0: empty */
	uint32_t count; /* occurrences since it was stored */
};

struct recent_tokens {
	struct recent_tokens_set {
		struct recent_token newer, older;
	} sets[RECENT_TOKENS_SETS];
};

/* Begins another answer: forgets all tokens. */
void recent_tokens_begin(struct recent_tokens *m);
/* position: the token's index in the answer, which must increase from call to call. */
void recent_tokens_add(struct recent_tokens *m, struct span token, uint32_t position);
/* How often the token occurred in the answer before `position`. 0 if it did not occur in the last
 * RECENT_TOKENS_WINDOW tokens. recent_tokens_has() is true if this number is above 0. */
uint32_t recent_tokens_count(const struct recent_tokens *m, struct span token, uint32_t position);
bool recent_tokens_has(const struct recent_tokens *m, struct span token, uint32_t position);
