#pragma once
/*
 * example - first differences of greedy answers that a report quotes: the widest one, and one for
 * each side that did not choose its own most probable token. Texts are copies, cut to fit, and safe
 * for a terminal. Exchanges may come in any order: of equally good examples, the one with the
 * smallest exchange id is kept. Pure.
 */
#include "analyzer/rows/rows.h"
#include "answers/first_difference.h"

#define EXAMPLE_TOKEN_SIZE 80
#define EXAMPLE_TEXT_SIZE 256

struct example_side {
	char token[EXAMPLE_TOKEN_SIZE]; /* the chosen token */
	/* Logprobs are nats, in this side's own list; NaN: unknown. */
	float logprob;
	float of_other;                /* of the other side's token */
	bool has_other;                /* the other side's token is in this side's list */
	char best[EXAMPLE_TOKEN_SIZE]; /* this side's most probable token; "": no list */
	float best_logprob;
	bool not_best;                /* this side did not choose its most probable token */
	char text[EXAMPLE_TEXT_SIZE]; /* text from the first difference on */
};

struct example {
	bool known;
	struct id exchange;
	/* false: the members of both sides from `token` to `not_best` are empty */
	bool has_tokens;
	/* index from 0 in the base's answer: of the token, or without tokens of the byte */
	uint32_t position;
	/* Nats, of the list of one side (below): the logprob of one side's token minus that of
	 * the other side's. The example with the largest gap is kept. If the list lacks a token,
	 * its logprob is at most that of the last listed token, and the gap is a bound.
	 *	widest         the base's list: the base's token minus the test's
	 *	base_not_best  the base's list: the test's token minus the base's
	 *	test_not_best  the test's list: the base's token minus the test's */
	double gap;
	char before[EXAMPLE_TEXT_SIZE]; /* the end of the text that both sides have in common */
	struct example_side base, test;
};

struct examples {
	struct example widest, base_not_best, test_not_best;
};

/* Considers two greedy answers that differ, and copies what it keeps. difference: where they
 * differ. If no pair has tokens, `widest` is the pair whose texts differ earliest. */
void examples_consider(struct examples *e, struct id exchange, const struct choice *base,
        const struct choice *test, const struct first_difference *difference);

/*
 * The exchange with the clearest difference between greedy answers, from rows alone: the one with
 * the largest gap of the base at the first differing token. If no pair has a known gap, the one
 * whose texts differ earliest. Of equal ones, the smallest id is kept, so the order of rows does
 * not matter.
 */
struct widest { /* zero-initialised: empty */
	bool known, at_token;
	/* at_token: the gap, nats; else: minus the offset of the first differing byte */
	double size;
	struct id exchange;
};

void widest_add(struct widest *w, const struct pair_row *row);
