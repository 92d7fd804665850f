#pragma once
/*
 * cause_memory - remembers which tokens occurred recently in an answer.
 *
 * A hash set of fixed size. In rare cases a new token overwrites an older one, which then counts
 * as not seen.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* tokens; larger than the usual window of engines' repetition penalties */
#define CAUSE_MEMORY_WINDOW 256
#define CAUSE_MEMORY_SETS 512

struct cause_memory_token {
	uint64_t hash;
	uint32_t end;   /* its latest position + 1; 0: empty */
	uint32_t count; /* occurrences since it was stored */
};

struct cause_memory {
	struct cause_memory_set {
		struct cause_memory_token newer, older;
	} sets[CAUSE_MEMORY_SETS];
};

/* Begins another answer: forgets all tokens. */
void cause_memory_begin(struct cause_memory *m);
/* position: the token's index in the answer, which must increase from call to call. */
void cause_memory_add(struct cause_memory *m, struct span token, uint32_t position);
/* How often the token occurred in the answer before `position`; 0 if its latest occurrence is more
 * than CAUSE_MEMORY_WINDOW tokens before. cause_memory_has(): whether that is above 0. */
uint32_t cause_memory_count(const struct cause_memory *m, struct span token, uint32_t position);
bool cause_memory_has(const struct cause_memory *m, struct span token, uint32_t position);
