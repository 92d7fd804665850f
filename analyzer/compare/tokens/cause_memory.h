#pragma once
/*
 * cause_memory - which tokens occurred lately in an answer.
 *
 * A hash set of bounded size: a token may push out another with the same place, rarely, and a
 * repetition of that one goes unnoticed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CAUSE_MEMORY_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define CAUSE_MEMORY_SETS 512

struct cause_memory_token {
	uint64_t hash;
	uint32_t end;   /* one more than its position; 0: the place is empty */
	uint32_t count; /* how often it occurred since it has the place */
};

struct cause_memory {
	struct cause_memory_set {
		struct cause_memory_token newer, older;
	} sets[CAUSE_MEMORY_SETS];
};

/* Another answer: none of its tokens occurred yet. */
void cause_memory_begin(struct cause_memory *m);
/* Positions only rise. */
void cause_memory_add(struct cause_memory *m, struct span token, uint32_t position);
/* How often the token occurred, if at all within the window before that position; else 0. */
uint32_t cause_memory_count(const struct cause_memory *m, struct span token, uint32_t position);
bool cause_memory_has(const struct cause_memory *m, struct span token, uint32_t position);
