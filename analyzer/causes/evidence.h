#pragma once
/*
 * evidence - signs of what may be behind differences: prompts of unlike length, tokens that are not
 * the engine's own best, answers without logprobs. Counted; nothing to be freed.
 */
#include "analyzer/rows/rows.h"

struct evidence_counts {
	/* Tokens of greedy answers with a list of alternatives, and those that are not the best of
	 * their list; of the latter: where the token that was passed over had been in the answer
	 * before. */
	uint64_t greedy_tokens, not_top, repeats;
	uint64_t without;       /* compared answers without token columns */
	uint64_t misspelt;      /* legs whose tokens do not spell their text */
	uint64_t contradictory; /* whose usage contradicts itself */
	uint64_t refused;       /* whose engine refused the added logprobs */
	/* Logprobs that are none, and so in no figure; of compared answers. */
	uint64_t positive, positive_tokens; /* answers with one above 0, and all of their tokens */
	uint64_t unusable, unusable_tokens; /* with NaN, null and such, and the tokens with these */
};

struct evidence_side {
	struct evidence_counts n;
	/* How far above the chosen one, in nats and in the side's own list, the farthest of the
	 * tokens passed over stood: no penalty that explains it takes less. */
	double passed;
	double penalty; /* that the engine says it applies unasked; 0: it says none */
};

/* Signs of a cause, over all pairs of a group. */
struct evidence {
	uint64_t prompt_n, prompt_differ; /* pairs where both engines counted the prompt's tokens */
	int64_t prompt_low, prompt_high;  /* of test - base where they differ */
	/* Compared answers to tasks with tests, which were not run on both sides. */
	uint64_t ungraded;
	struct evidence_side base, test;
};

/* Of the legs, with the first of their rows; of the answers, with each. */
void evidence_add(struct evidence *v, const struct pair_row *row);
