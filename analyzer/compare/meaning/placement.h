#pragma once
/*
 * placement - where answers have their reasoning: engines with a parser put it in a member of its
 * own, others leave it in the text. Two answers that differ only in this do not differ.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"

#define PLACES (REASONING_HIDDEN + 1)

struct placements {
	uint64_t n[PLACES][PLACES]; /* pairs of choices, by the base's place and the test's */
	uint64_t evened;            /* of these: compared by what was said to the user */
};

/* They differ in where their reasoning or their tool calls stand, so that their texts cannot be
 * compared as they are. */
bool placement_differs(const struct choice *base, const struct choice *test);
/*
 * A choice to compare in place of one whose text holds more than the answer: its text is what was
 * said to the user, its reasoning all of its reasoning, both without blanks at their ends. The rest
 * is borrowed from *from; placement_finish() frees what is not.
 */
void placement_even(const struct choice *from, struct choice *ret);
void placement_finish(struct choice *evened);

void placement_count(
        struct placements *p, enum reasoning_place base, enum reasoning_place test, bool evened);
/* Choices of the base, or of the test, that have their reasoning there. */
uint64_t placement_of(const struct placements *p, bool test, enum reasoning_place place);
uint64_t placement_total(const struct placements *p);
/* The place with most choices, of those that have one; REASONING_NONE: none has. */
enum reasoning_place placement_usual(const struct placements *p, bool test);
/* The two sides have their reasoning in unlike places: in USUAL_LEAST pairs, or in half of them. */
#define USUAL_LEAST 3
bool placement_usual_differs(const struct placements *p);
const char *placement_name(enum reasoning_place place); /* "none", "field", "inline", ... */
