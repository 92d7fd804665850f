#pragma once
/*
 * cause_memory - which tokens came lately in an answer. Bounded: a slot may forget what another token puts
 * there, rarely, and then a repeat goes unnoticed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/listing.h"

#define CAUSE_MEMORY_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define CAUSE_MEMORY_SLOTS 1024

#define CAUSE_MEMORY_MARKS 2048

struct cause_memory { /* zero-initialised is empty */
	/* By the keys of all tokens that ever came: most others are told from these by it alone. */
	bool marks[CAUSE_MEMORY_MARKS];
	struct {
		uint32_t hash, at; /* at: position + 1; 0: empty */
	} slots[CAUSE_MEMORY_SLOTS];
};

/* Positions only rise. */
void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at);
/* Did the token come within the window before that position? */
bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at);
/* The same of the first n alternatives of a listing, which are at most 32: bit i tells of number i. */
uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at);
