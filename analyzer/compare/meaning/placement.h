#pragma once
/*
 * placement - the place of reasoning in answers: engines with a parser put it in its own member,
 * others leave it in the text. Answers that differ only in this count as equal.
 */
#include <stdbool.h>
#include <stdint.h>

#include "answers/reading.h"

#define PLACES (REASONING_HIDDEN + 1)

struct placements {
	uint64_t n[PLACES][PLACES]; /* pairs of choices, by the place on the base and on the test */
	uint64_t normalised;        /* of these: compared by the visible text only */
};

/* True if reasoning or tool calls are in different places, so that the texts can't be compared
 * directly. */
bool placement_differs(const struct choice *base, const struct choice *test);
/*
 * Makes a choice for comparison from one whose text contains more than the answer: its text is the
 * visible text, its reasoning is all of its reasoning, both trimmed. The rest is borrowed from
 * *from; placement_finish() frees what is not borrowed.
 */
void placement_normalise(const struct choice *from, struct choice *ret);
void placement_finish(struct choice *normalised);

void placement_count(struct placements *p, enum reasoning_place base, enum reasoning_place test,
        bool normalised);
/* The number of choices of the base, or of the test, with reasoning in this place. */
uint64_t placement_of(const struct placements *p, bool test, enum reasoning_place place);
uint64_t placement_total(const struct placements *p);
/* The most common place, among choices with reasoning; REASONING_NONE: there is none. */
enum reasoning_place placement_usual(const struct placements *p, bool test);
/* Whether the two sides have their reasoning in different places, in USUAL_LEAST pairs or in half
 * of them. */
#define USUAL_LEAST 3
bool placement_usual_differs(const struct placements *p);
const char *placement_name(enum reasoning_place place); /* "none", "field", "inline", ... */
