#pragma once
/*
 * causes - all sums over the pairs of one group that explain why answers differ. Bounded.
 *
 * causes.c only counts. cause_tests.c computes p values and effect sizes from the counts.
 * cause_verdict.c decides which causes a group has, and holds all minimum effects and counts.
 */
#include "analyzer/causes/advice.h"
#include "analyzer/causes/cause.h"
#include "analyzer/causes/cause_prompt.h"
#include "analyzer/compare/tokens/cause_signs.h"
#include "analyzer/causes/crosstalk_side.h"
#include "analyzer/causes/cause_change.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/rows/rows.h"

/*
 * Ratios by cluster: the mean level (of load, of cached tokens) at differing answers, compared with
 * the mean level of all answers that could differ. The two are equal if the level has no effect.
 * Computed by tokens where both sides have them, and by answers.
 */
enum cause_column {
	COLUMN_LOAD_PARTED, /* log2 of the requests in flight, of answers with a first difference */
	COLUMN_LOAD_AT_RISK,
	COLUMN_LOAD_DIFFER, /* the same for all answers, with or without tokens */
	COLUMN_LOAD_ANSWERS,
	/* the load, weighted by the noise of the gaps; compared with the next column, its mean over
	 * all positions */
	COLUMN_LOAD_NOISE,
	COLUMN_LOAD_POSITIONS,
	COLUMN_CACHE_PARTED, /* 1: cached, 0: not */
	COLUMN_CACHE_AT_RISK,
	COLUMN_CACHE_DIFFER,
	COLUMN_CACHE_ANSWERS,
	COLUMN_CACHE_NOISE,
	COLUMN_CACHE_POSITIONS,
	COLUMN_DIFFER,   /* greedy answers */
	COLUMN_CONTRAST, /* nats, by position */
	/* sum of the squares of the test's gaps, divided by that of the base's */
	COLUMN_GAPS,
	COLUMN_NOISE,      /* nats, by position */
	COLUMN_BASE_NOISE, /* of the base against itself */
	COLUMN_TEST_NOISE,
	/* of all tokens that the choice passed over: the share that already stood in the answer */
	COLUMN_BASE_REPEATS,
	COLUMN_TEST_REPEATS,
	CAUSE_COLUMNS,
};

/* The pairs at one level, how many of them differ (hits), and their noise. */
struct cause_level {
	uint64_t n, hits, positions;
	struct exact_sum noise; /* nats, over the positions */
};
#define CAUSE_LEVELS 16 /* of load: by powers of two */

#define CAUSE_SHIFTS 64
#define CAUSE_SHIFT_STEP 0.125

/* Counts of answers that differ, unless stated otherwise. */
struct cause_counts {
	uint64_t pairs;          /* all pairs, also those that can't be compared */
	uint64_t unlike_answers; /* not equal byte for byte; failures of one side included */
	uint64_t greedy_answers, greedy_unlike;
	uint64_t by_decoding[N_DECODINGS];
	uint64_t refused; /* of those with DECODING_UNLIKE: plumbline removed parameters */
	uint64_t base_failed, test_failed;
	uint64_t normalised; /* equal except for the place of reasoning */
	/* only this side ended at a token limit, and both are equal up to it */
	uint64_t cut_base, cut_test;
	uint64_t greedy_cut;
	/* This side ends with a stop sequence, and both are equal up to it. */
	uint64_t stop_base, stop_test, greedy_stop;
	uint64_t ungraded; /* pairs that `plumbline grade` can grade, and has not */
	/* positions with a contrast, and with a gap: struct cause_signs */
	uint64_t contrast_n, gaps;
	/* Greedy answers with a first differing token: */
	/* this side's choice contradicts its own list; both: each side's does */
	uint64_t base_against, test_against, both_against;
	/* it passed over a token that already stood in the answer */
	uint64_t base_penalised, test_penalised, both_penalised;
	/* its choice is new, the other side's already stood in the answer */
	uint64_t base_shuns, test_shuns;
	uint64_t at_once; /* answers that differ at the first token */
	/* Both sides chose the best token of their own list, and the lists have tokens in
	 * common: a histogram of the shift (struct first), in steps of CAUSE_SHIFT_STEP nats.
	 * The shift is a lower bound where one of the two tokens is not listed. */
	uint64_t shifts[CAUSE_SHIFTS];
	/* Pairs with a known load on both sides, and the sums of the requests in flight. */
	uint64_t loads, base_in_flight, test_in_flight;
	/* The two lists at the first difference have little in common. openings: the difference
	 * is at the first token; lost: it is later. */
	uint64_t openings, lost;
};

/* Counts what is missing from the figures of one side. */
struct cause_lacks {
	/* Legs: */
	uint64_t contradictory; /* token counts contradict each other */
	uint64_t refused;       /* the engine refused the logprobs that plumbline asked for */
	/* Answers that were compared: */
	uint64_t misspelt; /* tokens do not spell the text */
	uint64_t without;  /* no tokens at all */
	/* answers with a logprob above 0; all of their tokens */
	uint64_t positive, positive_tokens;
	/* answers with values such as NaN or null; the tokens that have such a value */
	uint64_t unusable, unusable_tokens;
};

struct causes {                    /* zero-initialised is empty */
	struct clusters *clusters; /* NULL: nothing was added yet */
	struct advice_engine base_engine, test_engine;
	struct cause_counts counts;
	struct cause_prompts prompts;
	struct cause_choices base, test;
	struct cause_lacks base_lacks, test_lacks;
	double base_penalty, test_penalty; /* the default penalty that the engine states; 0: none */
	/* sums of the members of struct cause_signs */
	struct exact_sum gap_test, gap_base, gap_both;
	/* values that the three gap sums and the noise sums (load, cache) could not add
	 * unchanged */
	struct exact_losses losses;
	struct cause_level load[CAUSE_LEVELS], cache[2];
	struct timeline timeline; /* greedy answers; in units of CAUSE_TIME_SHIFT */
	struct crosstalk_side base_talk, test_talk;
	struct cause_exchanges traces[N_TRACES];
	struct cause_nearest nearest; /* of greedy answers */
};

/* True if both sides are one backend at one address. */
bool causes_are_of_one_server(const struct causes *c);
/* Adds a row with choices; facts: the result of its comparison. Returns the signs found in it,
 * as bits: 1 << enum cause_trace. */
uint32_t causes_add(struct causes *c, const struct pair_row *row, const struct pair_facts *facts);
/* Adds the row's legs, whether it has choices or not; call once for each pair of legs. */
void causes_add_legs(struct causes *c, const struct pair_row *row);
void causes_add_crosstalk(struct causes *c, const struct crosstalk_row *row);
/* Adds the noise of one side against itself: of the base if of_base, else of the test. noise: as
 * in struct cause_signs, over n positions. */
void causes_add_floor(
        struct causes *c, const uint8_t *cluster, bool of_base, double noise, uint64_t n);
/* Adds a pair of legs that can't be compared. base_failed, test_failed: the engine of that side
 * is the reason. */
void causes_add_left_out(struct causes *c, struct id exchange, bool base_failed, bool test_failed);
void causes_finish(struct causes *c);
