#pragma once
/*
 * example - first differences worth showing: the widest one, and one for each side that did not
 * choose its own most probable token. Pure; texts are copied, short, and safe for a terminal.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "answers/first_difference.h"

#define EXAMPLE_TOKEN_SIZE 80
#define EXAMPLE_TEXT_SIZE 256

struct example_side {
	char token[EXAMPLE_TOKEN_SIZE]; /* the chosen token */
	float logprob;                  /* in this side's own list, like all below; NaN: unknown */
	float of_other;                 /* of the other side's token; NaN: unknown */
	/* the other side's token is in this side's list, with or without a logprob */
	bool has_other;
	char best[EXAMPLE_TOKEN_SIZE]; /* its most probable token; "": no list */
	float best_logprob;
	bool not_best;                /* this side did not choose its most probable token */
	char text[EXAMPLE_TEXT_SIZE]; /* from the first difference on */
};

struct example {
	bool known;
	struct id exchange;
	bool has_tokens;   /* else the members from token to not_best are empty */
	uint32_t position; /* token of the base, or byte of its text; from 0 */
	/* How much less probable the test's token is than the base's own by the base's list, in
	 * nats; a lower bound if it is not in the list. The widest example has the largest gap. */
	double gap;
	char before[EXAMPLE_TEXT_SIZE]; /* the end of what both wrote */
	struct example_side base, test;
};

struct examples {
	struct example widest, base_not_best, test_not_best;
};

/* Considers two answers that differ at `difference`. */
void examples_consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test, const struct first_difference *difference);
/* Exchanges may come in any order: of two equally wide examples, the earlier exchange is kept. */
