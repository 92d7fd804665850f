#pragma once
/*
 * causes - all that is summed up over the pairs of one group to say why their answers differ.
 * Bounded. What is made of it: cause_verdict.h.
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
 * Ratios by cluster. The mean level (of load, of cache) where answers differ or part, against that of
 * all that might have: the difference is 0 when the level is of no account. By tokens where both sides
 * have them, and by answers.
 */
enum cause_column {
	COLUMN_LOAD_PARTED, /* log2 of the requests under way, of answers that part */
	COLUMN_LOAD_AT_RISK,
	COLUMN_LOAD_DIFFER, /* the same of answers, tokens or not */
	COLUMN_LOAD_ANSWERS,
	COLUMN_LOAD_NOISE, /* and of how far gaps moved, against all positions */
	COLUMN_LOAD_POSITIONS,
	COLUMN_CACHE_PARTED, /* 1: cached, 0: not */
	COLUMN_CACHE_AT_RISK,
	COLUMN_CACHE_DIFFER,
	COLUMN_CACHE_ANSWERS,
	COLUMN_CACHE_NOISE,
	COLUMN_CACHE_POSITIONS,
	COLUMN_DIFFER,     /* greedy answers */
	COLUMN_CONTRAST,   /* nats, by position */
	COLUMN_GAPS,       /* squares: the test's over the base's */
	COLUMN_NOISE,      /* nats, by position */
	COLUMN_BASE_NOISE, /* of the base from itself */
	COLUMN_TEST_NOISE,
	COLUMN_BASE_REPEATS, /* tokens passed over that had been there, of all passed over */
	COLUMN_TEST_REPEATS,
	CAUSE_COLUMNS,
};

/* Pairs at one level, and those that differ; their noise. */
struct cause_level {
	uint64_t n, hits, positions;
	struct exact_sum noise; /* nats, over the positions */
};
#define CAUSE_LEVELS 16 /* of load: by powers of two */

#define CAUSE_SHIFTS 64
#define CAUSE_SHIFT_STEP 0.125

/* Of answers that differ, unless it says otherwise. */
struct cause_counts {
	uint64_t pairs;          /* all, and these that can't be compared */
	uint64_t unlike_answers; /* not the same as they came, one side's failures included */
	uint64_t greedy_answers, greedy_unlike;
	uint64_t by_decoding[N_DECODINGS];
	uint64_t refused; /* of the unlike ones: parameters were taken out */
	uint64_t base_failed, test_failed;
	uint64_t evened;             /* the same but for the place of their reasoning */
	uint64_t cut_base, cut_test; /* at a limit, on that side alone, and the same until there */
	uint64_t greedy_cut;
	/* That side ends with a stop sequence, and is the same until there. */
	uint64_t stop_base, stop_test, greedy_stop;
	uint64_t ungraded; /* pairs with tests of programs, which were not run on both sides */
	uint64_t contrast_n, gaps; /* positions */
	/* Greedy answers that part at a token: */
	uint64_t base_against, test_against;     /* that side chose against its list */
	uint64_t base_penalised, test_penalised; /* it went round a token that had been there */
	uint64_t base_shuns, test_shuns;         /* its choice is new, the other's had been there */
	uint64_t at_once;                        /* at the first token */
	/* Both chose the best of their own lists, which have something in common: by how far apart
	 * the lists hold the two tokens, in steps of CAUSE_SHIFT_STEP nats. A lower bound where one
	 * is not listed. */
	uint64_t shifts[CAUSE_SHIFTS];
	/* With hardly anything in common there: at the first token; later. */
	uint64_t openings, lost;
};

/* Of one side, what its figures lack. */
struct cause_lacks {
	/* Legs: */
	uint64_t contradictory; /* usage contradicts itself */
	uint64_t refused;       /* the engine refused the added logprobs */
	/* Answers that were compared: */
	uint64_t misspelt;                  /* tokens that do not spell the text */
	uint64_t without;                   /* no tokens at all */
	uint64_t positive, positive_tokens; /* with a logprob above 0, and all of their tokens */
	uint64_t unusable, unusable_tokens; /* with NaN, null and such, and the tokens with these */
};

struct causes {                    /* zero-initialised is empty */
	struct clusters *clusters; /* NULL while nothing was added */
	struct advice_engine base_engine, test_engine;
	struct cause_counts counts;
	struct cause_prompts prompts;
	struct cause_choices base, test;
	struct cause_lacks base_lacks, test_lacks;
	double base_penalty,
	        test_penalty; /* that the engine says it applies unasked; 0: it says none */
	struct exact_sum gap_test, gap_base, gap_both;
	struct exact_losses losses; /* of these and of noise */
	struct cause_level load[CAUSE_LEVELS], cache[2];
	struct timeline timeline; /* of greedy answers; in units of CAUSE_TIME_SHIFT */
	struct crosstalk_side base_talk, test_talk;
	struct cause_exchanges traces[N_TRACES];
};

/* A row with choices; facts: of its comparison. Returns what it shows: 1 << enum cause_trace. */
uint32_t causes_add(struct causes *c, const struct pair_row *row, const struct pair_facts *facts);
/* Of the row's legs, with or without choices; once for a pair of them. */
void causes_add_legs(struct causes *c, const struct pair_row *row);
void causes_add_crosstalk(struct causes *c, const struct crosstalk_row *row);
/* What a side differs from itself; of_base: the base. noise: as in struct cause_signs, over n positions. */
void causes_add_floor(
        struct causes *c, const uint8_t *cluster, bool of_base, double noise, uint64_t n);
/* A pair of legs that can't be compared, of which one side may have failed by its engine's doing. */
void causes_add_left_out(struct causes *c, struct id exchange, bool base_failed, bool test_failed);
void causes_finish(struct causes *c);
