#pragma once
/*
 * placement - where an answer has its reasoning: engines with a reasoning parser put it in a member
 * of its own, others leave it in the text. Answers that differ only in the place count as equal.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"

#define PLACES (REASONING_HIDDEN + 1)

struct placements {
	/* pairs of choices, by the place in the base, then in the test */
	uint64_t n[PLACES][PLACES];
	uint64_t normalised; /* pairs of choices that placement_normalise() made comparable */
};

/* True if reasoning or tool calls are in different places, so that the texts can't be compared
 * directly. */
bool placement_differs(const struct choice *base, const struct choice *test);
/*
 * Makes a choice in which reasoning and answer are separate, wherever *from has them: `text` is the
 * text that a user sees, `reasoning` is all reasoning, and both are trimmed. All other members
 * point into *from, which must outlive *ret. placement_finish() frees text and reasoning.
 */
void placement_normalise(const struct choice *from, struct choice *ret);
void placement_finish(struct choice *normalised);

/* Counts a pair of choices. normalised: placement_normalise() made it comparable. */
void placement_count(struct placements *p, enum reasoning_place base, enum reasoning_place test,
        bool normalised);
/* The number of choices of the base, or of the test, with reasoning in this place. */
uint64_t placement_of(const struct placements *p, bool test, enum reasoning_place place);
/* The number of counted pairs of choices. */
uint64_t placement_total(const struct placements *p);
/* The most common place, among choices with reasoning; REASONING_NONE: there is none. */
enum reasoning_place placement_usual(const struct placements *p, bool test);
/* True if placement_usual() differs between the sides, and at least USUAL_LEAST pairs, or half of
 * all pairs, have their reasoning in different places. */
#define USUAL_LEAST 3
bool placement_usual_differs(const struct placements *p);
const char *placement_name(enum reasoning_place place); /* "none", "field", "inline", ... */
