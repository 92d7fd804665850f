#pragma once
/*
 * example - first differences for a report: the widest one, and one for each side that did not
 * choose its own most probable token. Pure; texts are copies, short, and safe for a terminal.
 */
#include "analyzer/rows/rows.h"
#include "answers/first_difference.h"

#define EXAMPLE_TOKEN_SIZE 80
#define EXAMPLE_TEXT_SIZE 256

struct example_side {
	char token[EXAMPLE_TOKEN_SIZE]; /* the chosen token */
	/* in this side's own list, like all logprobs here; NaN: unknown */
	float logprob;
	float of_other; /* logprob of the other side's token; NaN: unknown */
	/* the other side's token is in this side's list, with or without a logprob */
	bool has_other;
	char best[EXAMPLE_TOKEN_SIZE]; /* this side's most probable token; "": no list */
	float best_logprob;
	bool not_best;                /* this side did not choose its most probable token */
	char text[EXAMPLE_TEXT_SIZE]; /* text from the first difference on */
};

struct example {
	bool known;
	struct id exchange;
	bool has_tokens;   /* false: the members of both sides from token to not_best are empty */
	uint32_t position; /* index (from 0) of the base's token, or of the byte in its text */
	/* Nats; how much less probable the base's list makes the test's token than the base's
	 * own; a lower bound if the list lacks the test's token. The widest example has the
	 * largest gap. */
	double gap;
	char before[EXAMPLE_TEXT_SIZE]; /* end of the text that both sides have in common */
	struct example_side base, test;
};

struct examples {
	struct example widest, base_not_best, test_not_best;
};

/* Considers two answers that differ at `difference`. */
void examples_consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test, const struct first_difference *difference);
/* Exchanges may come in any order: of two equally wide examples, the one with the smaller
 * exchange id is kept. */

/*
 * The exchange with the clearest difference between greedy answers: the one with the largest gap of
 * the base at the first differing token; if no tokens are known, the one whose first differing byte
 * is earliest. Of equal ones the smaller id wins, so that the order of rows does not matter.
 */
struct widest { /* zero-initialised: empty */
	bool known, at_token;
	double size; /* nats; for texts: minus the byte's position */
	struct id exchange;
};

void widest_add(struct widest *w, const struct pair_row *row);
