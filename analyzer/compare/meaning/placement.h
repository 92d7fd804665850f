#pragma once
/*
 * placement - where an answer has its reasoning and its tool calls: engines with a parser put them
 * in members of their own, others leave them in the text. Answers that differ only in this place
 * count as equal in the text figures, which compare their normalised forms; meaning.h counts them
 * as a difference of format. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"

#define PLACES (REASONING_HIDDEN + 1)

struct placements {
	/* pairs of choices, by the place of the reasoning in the base, then in the test */
	uint64_t n[PLACES][PLACES];
	uint64_t normalised; /* those that were compared in their normalised forms */
};

/* True if only one side has reasoning in its text, or only one side has tool calls in its text.
 * The texts can't be compared directly then. */
bool placement_differs(const struct choice *base, const struct choice *test);
/*
 * Makes a choice in which reasoning and answer are separate, wherever *from has them. ret->text is
 * the answer without inline reasoning and tool calls. ret->reasoning is all reasoning. Both are
 * without white space at the ends, and ret->thoughts is empty. All other members, such as `calls`,
 * still belong to *from, which must outlive *ret. Call placement_finish() last.
 */
void placement_normalise(const struct choice *from, struct choice *ret);
void placement_finish(struct choice *normalised);

/* Counts a pair of choices. */
void placement_count(struct placements *p, enum reasoning_place base, enum reasoning_place test,
        bool normalised);
/* The number of choices with reasoning in this place: of the test if `test`, else of the base. */
uint64_t placement_of(const struct placements *p, bool test, enum reasoning_place place);
uint64_t placement_total(const struct placements *p); /* number of pairs */
/* The most common place among choices with reasoning, of the test if `test`, else of the base;
 * REASONING_NONE: no choice has reasoning. */
enum reasoning_place placement_usual(const struct placements *p, bool test);
#define PLACEMENT_USUAL_LEAST 3
/* True if placement_usual() differs between the sides, and the place differs in at least
 * PLACEMENT_USUAL_LEAST pairs or in half of all pairs. */
bool placement_usual_differs(const struct placements *p);
