#pragma once
/*
 * example - single partings that are worth showing: the widest one, and one for each side where an
 * engine did not choose what it holds most probable itself. Pure; texts are copied, short, and fit
 * for a terminal.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "answers/parting.h"

#define EXAMPLE_TOKEN_SIZE 80
#define EXAMPLE_TEXT_SIZE 256

struct example_side {
	char token[EXAMPLE_TOKEN_SIZE]; /* that it chose */
	float logprob;                  /* its own, as are all here; NaN: unknown */
	float of_other;                 /* of the other side's token; NaN: unknown */
	bool has_other;                 /* the other side's token is in its list, told or not */
	char best[EXAMPLE_TOKEN_SIZE];  /* its most probable token; "": no list */
	float best_logprob;
	bool not_best;                /* it chose another */
	char text[EXAMPLE_TEXT_SIZE]; /* from the parting on */
};

struct example {
	bool known;
	struct id exchange;
	bool has_tokens;   /* else the members from token to not_best are empty */
	uint32_t position; /* token of the base, or byte of its text; from 0 */
	/* How much less probable the base holds the test's token than its own, in nats; a least
	 * value where the token is not in the base's list. What makes a parting wide. */
	double gap;
	char before[EXAMPLE_TEXT_SIZE]; /* the end of what both wrote */
	struct example_side base, test;
};

struct examples {
	struct example widest, base_not_best, test_not_best;
};

/* Of two answers that differ, as parting tells where. */
void examples_consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test, const struct parting *parting);
/* In any order: of two examples as wide, the one of the earlier exchange is kept. */
