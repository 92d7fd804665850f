#pragma once
/*
 * causes - adds up what the pairs of one group show about why answers differ. The best token is
 * the most probable one of a list. Memory is limited.
 */
#include "analyzer/fold/advice.h"
#include "analyzer/fold/cause.h"
#include "analyzer/fold/cause_prompt.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/tokens/cause_signs.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/exact_sum.h"
#include "analyzer/stats/timeline.h"

/*
 * Counts the answers of one side that contain text of other requests (rows/crosstalk.h: "exchanges
 * around", "in flight"). Rows of cross-talk may come in any order.
 */
struct crosstalk_side {     /* zero-initialised: empty */
	uint64_t in_flight; /* answers with words of an exchange in flight at the same time */
	/* other answers with words of exchanges around, none of these in flight */
	uint64_t elsewhere;
	/* sum over both kinds of answers: the share of the exchanges around that were in flight */
	struct exact_sum chance;
	/* control: the other side's answers (to the same requests) with words of an exchange that
	 * was in flight at the same time as this side's answer. both: pairs that are counted in
	 * control and in in_flight. */
	uint64_t control, both;
	uint64_t greedy_in_flight;        /* greedy answers in in_flight */
	struct cause_exchanges exchanges; /* of the answers in in_flight */
};
void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row);
/* The p value of in_flight, if words came from exchanges in flight no more often than from the
 * other exchanges around: P(X >= in_flight) of a binomial X with n = in_flight + elsewhere trials
 * of the probability chance / n. NaN: no answer has words of other exchanges. */
double crosstalk_side_p(const struct crosstalk_side *s);
/* The p value of the sign test of McNemar (1947). The test takes the pairs in which only one of the
 * two answers has words of the exchanges in flight with this side's answer. p is the probability
 * that this side has so many of these answers, if both sides were equally likely to have them. 1:
 * there is no such pair. */
double crosstalk_side_control_p(const struct crosstalk_side *s);

/*
 * The figures of causes.clusters. LOAD, CACHE and DIFFER are over greedy answers, the others over
 * all answers. Load is log2 of the requests in flight to the test's backend; cache is 1 if the
 * test's prompt was cached, else 0.
 *
 * Each line below has two means of the load. They are equal if load has no effect. The same holds
 * for the means of the cache.
 *
 *	LOAD_FIRST  over first differences       LOAD_AT_RISK    over all comparable positions
 *	LOAD_DIFFER over answers that differ     LOAD_ANSWERS    over all answers
 *	LOAD_NOISE  weighted by the noise        LOAD_POSITIONS  over all positions
 */
enum cause_column {
	COLUMN_LOAD_FIRST,
	COLUMN_LOAD_AT_RISK,
	COLUMN_LOAD_DIFFER,
	COLUMN_LOAD_ANSWERS,
	COLUMN_LOAD_NOISE,
	COLUMN_LOAD_POSITIONS,
	COLUMN_CACHE_FIRST,
	COLUMN_CACHE_AT_RISK,
	COLUMN_CACHE_DIFFER,
	COLUMN_CACHE_ANSWERS,
	COLUMN_CACHE_NOISE,
	COLUMN_CACHE_POSITIONS,
	COLUMN_DIFFER,   /* share of greedy answers that differ */
	COLUMN_CONTRAST, /* struct cause_signs.contrast, nats per position */
	/* the test's gaps squared, divided by the base's gaps squared */
	COLUMN_GAPS,
	COLUMN_NOISE, /* noise between both sides, nats per position */
	/* in the order of enum side: noise of this side against itself, nats per position */
	COLUMN_BASE_NOISE,
	COLUMN_TEST_NOISE,
	/* In the order of enum side. Over positions where this side did not choose the best token:
	 * the share where the best token already occurred in the answer (struct cause_choices:
	 * repeats, not_top). */
	COLUMN_BASE_REPEATS,
	COLUMN_TEST_REPEATS,
	CAUSE_COLUMNS,
};

/* The pairs of greedy answers at one level of load or cache. */
struct cause_level {
	uint64_t n, hits;       /* n: pairs; hits: those whose answers differ */
	uint64_t positions;     /* sum of cause_signs.noise_n */
	struct exact_sum noise; /* sum over `positions`, nats */
};
/* level i: from 2^i to 2^(i + 1) - 1 requests in flight; the last level has all higher ones */
#define CAUSE_LEVELS 16

#define CAUSE_SHIFTS 64
#define CAUSE_SHIFT_STEP 0.125

/* Counts of pairs of answers that differ, unless a comment says otherwise. */
struct cause_counts {
	uint64_t pairs; /* all pairs, including those that can't be compared */
	/* includes pairs that differ only in the place of reasoning, or where one side failed */
	uint64_t unlike_answers;
	uint64_t greedy_answers, greedy_unlike; /* all greedy pairs; those that differ */
	uint64_t by_decoding[N_DECODINGS];
	uint64_t refused;    /* pairs with DECODING_UNLIKE because plumbline removed parameters */
	uint64_t normalised; /* pairs that are equal except for the place of reasoning */
	uint64_t greedy_cut, greedy_stop; /* greedy pairs in `cut` and in `stop` of a side */
	uint64_t ungraded;                /* all pairs with comparison.ungraded */
	/* sums of these members of struct cause_signs, over all pairs */
	uint64_t contrast_n, gaps;
	uint64_t both_against, both_penalised; /* pairs in `against`, `penalised` of both sides */
	uint64_t at_once;                      /* greedy answers that differ at the first token */
	/* Greedy pairs in which both sides chose the best token of their own list, and whose lists
	 * are not `foreign` (struct cause_signs): a histogram of the shift
	 * (first_difference_kind.h), in steps of CAUSE_SHIFT_STEP nats; larger shifts are left
	 * out. A shift is a lower bound if one of the two tokens is not listed. */
	uint64_t shifts[CAUSE_SHIFTS];
	uint64_t loads; /* all greedy pairs with a known load on both sides */
	/* Greedy pairs whose two lists at the first difference have little in common. openings:
	 * this difference is at the first token; lost: at a later one. */
	uint64_t openings, lost;
};

/* Counts of legs and answers of one side whose data are missing or not usable. */
struct cause_lacks {
	/* counts of legs: */
	uint64_t contradictory; /* legs whose token counts contradict each other */
	/* legs whose engine refused the logprobs that plumbline asked for */
	uint64_t refused;
	/* counts of answers that were compared: */
	uint64_t misspelt; /* answers whose tokens do not spell the text */
	uint64_t without;  /* answers without tokens */
	/* of these, the primary's answers to requests to which the proxy added nothing */
	uint64_t plain;
	/* positive: answers with a logprob above 0; positive_tokens: all tokens of these answers */
	uint64_t positive, positive_tokens;
	/* unusable: answers with a value such as NaN or null; unusable_tokens: the tokens that
	 * have such a value */
	uint64_t unusable, unusable_tokens;
};

/* What the pairs show about one of the two sides. */
struct causes_of_side {
	struct advice_engine engine;
	struct cause_choices choices;
	struct cause_lacks lacks;
	struct crosstalk_side talk;
	/* the penalty that the engine applies by default, as it states; 0: none */
	double penalty;
	/* Counts of pairs: */
	uint64_t failed; /* only this side failed */
	/* only this side ended at a token limit, and both answers are equal up to there */
	uint64_t cut;
	/* this side ends with a stop sequence, and both answers are equal up to there */
	uint64_t stop;
	/* Greedy pairs whose first differing token is known. "Earlier" means in the answer before
	 * this token, or in the request. */
	uint64_t against;   /* this side's choice is not the best token of its own list */
	uint64_t penalised; /* counted in `against`, and the other side's choice occurred earlier */
	/* this side's choice did not occur earlier, but the other side's choice did */
	uint64_t avoided_repeats;
	uint64_t in_flight; /* sum of the requests in flight, over the pairs in counts.loads */
};

#define CAUSE_TIME_SHIFT 20 /* the unit of the timeline is 2^20 ns, about a millisecond */
#define CAUSE_TIME_BINS 1024

struct causes {                    /* zero-initialised: empty */
	struct clusters *clusters; /* NULL: nothing was added yet */
	struct cause_counts counts;
	struct cause_prompts prompts;
	struct causes_of_side of[N_SIDES];
	/* sums of these members of struct cause_signs */
	struct exact_sum gap_test_squares, gap_base_squares, gap_products;
	struct cause_level load[CAUSE_LEVELS], cache[2];
	struct timeline timeline; /* greedy answers; in units of 1 << CAUSE_TIME_SHIFT ns */
	struct cause_exchanges traces[N_TRACES]; /* exchanges with a pair that has the trace */
	struct cause_nearest nearest;            /* over greedy answers */
};

/* True if both sides are known to have the same backend and the same URL. */
bool causes_are_of_one_server(const struct causes *c);
/* Adds a row with has_choices set. facts: of the row's comparison. Returns the signs of causes in
 * this row, as bits: 1 << enum cause_trace. */
uint32_t causes_add(struct causes *c, const struct pair_row *row, const struct pair_facts *facts);
/* Adds the two legs of a row, with or without has_choices. Call once for each pair of legs. */
void causes_add_legs(struct causes *c, const struct pair_row *row);
/* Adds the noise of one side against itself. noise: sum over n positions, nats (struct
 * cause_signs). */
void causes_add_floor(
        struct causes *c, const uint8_t *cluster, enum side of, double noise, uint64_t n);
/* Adds a pair of legs that can't be compared. failed[side]: the engine of this side failed. The
 * pair counts as a difference only if exactly one side failed. */
void causes_add_left_out(struct causes *c, struct id exchange, const bool failed[N_SIDES]);
void causes_finish(struct causes *c);
