#pragma once
/*
 * cause_memory - which tokens came lately in an answer. Bounded: a set of places may forget what other tokens put
 * there, rarely, and then a repeat goes unnoticed.
 *
 * It lives on from answer to answer, of which each begins where the window of the one before is over: nothing is
 * cleared but the marks, and these of eight answers in one go.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/tokens/listing.h"

#define CAUSE_MEMORY_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define CAUSE_MEMORY_SETS 512   /* of two tokens each */

#define CAUSE_MEMORY_MARKS 8192

struct cause_memory { /* zero-initialised; cause_memory_begin() comes first */
	/* Positions are counted through all answers: where the one under way begins, and the last one added. */
	uint32_t from, last;
	uint8_t answer; /* its bit in marks */
	/* By the keys of all tokens that ever came in an answer: most others are told from these by it alone. */
	uint8_t marks[CAUSE_MEMORY_MARKS];
	struct cause_memory_set {
		struct cause_memory_place {
			uint32_t hash, at; /* at 0: empty, which is before any window */
		} newer, older;
	} sets[CAUSE_MEMORY_SETS];
};

/* Another answer, of less than 2^30 tokens: none of its tokens came yet. */
void cause_memory_begin(struct cause_memory *m);
/* Positions only rise. */
void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at);
/* Did the token come within the window before that position? */
bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at);
/* The same of one token, before another is added; and of one that is added itself. */
bool cause_memory_turn(struct cause_memory *m, const struct listed *asked,
        const struct listed *added, uint32_t at);
bool cause_memory_again(struct cause_memory *m, const struct listed *token, uint32_t at);
/* Of n tokens from `at` on that identify, and whose keys are all there is to them: how many came? */
uint32_t cause_memory_again_all(
        struct cause_memory *m, const uint64_t *keys, uint32_t at, uint32_t n);
/* The same of the first n alternatives of a listing, which are at most 32: bit i tells of number i. */
uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at);

/* The same of LISTING_PLAIN alternatives from a row on, of which number `chosen` was chosen: it is added then. */
uint32_t cause_memory_meet(struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t chosen, uint32_t at);
/* The same of n positions, one at least, from `at` on, whose lists stand one behind the other, and at all of which number 0 was chosen. */
void cause_memory_meet_firsts(struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t at, uint32_t n, uint64_t *ret);
