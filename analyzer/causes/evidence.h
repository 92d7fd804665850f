#pragma once
/*
 * evidence - signs of what may be behind differences: prompts of unlike length, tokens that are not
 * the engine's own best, answers without logprobs. Counted; nothing to be freed.
 */
#include "analyzer/rows/rows.h"

/* Logprobs of one side that are none, and so in no figure; of compared answers. */
struct evidence_numbers {
	uint64_t positive, positive_tokens; /* answers with one above 0, and all of their tokens */
	uint64_t unusable, unusable_tokens; /* with NaN, null and such, and the tokens with these */
};

/* Signs of a cause, over all pairs of a group. */
struct evidence {
	uint64_t prompt_n, prompt_differ; /* pairs where both engines counted the prompt's tokens */
	int64_t prompt_low, prompt_high;  /* of test - base where they differ */
	/* Tokens of greedy answers with a list of alternatives, and those that are not the best of
	 * their list. */
	uint64_t base_greedy_tokens, base_not_top;
	uint64_t test_greedy_tokens, test_not_top;
	/* Of the latter: where the token that was passed over had been in the answer before. */
	uint64_t base_repeats, test_repeats;
	/* How far above the chosen one, in nats and in the side's own list, the farthest of these stood: no penalty that
	 * explains it takes less. And the penalty that the side's engine says it applies unasked; 0: it says none. */
	double base_passed, test_passed;
	double base_penalty, test_penalty;
	uint64_t base_without, test_without;   /* compared answers without token columns */
	uint64_t base_misspelt, test_misspelt; /* whose tokens do not spell their text */
	uint64_t base_contradictory, test_contradictory; /* whose usage contradicts itself */
	uint64_t base_refused, test_refused; /* legs whose engine refused the added logprobs */
	struct evidence_numbers base_numbers, test_numbers;
	uint64_t
	        ungraded; /* compared answers to tasks with tests, which were not run on both sides */
};

/* Of the legs, with the first of their rows; of the answers, with each. */
void evidence_add(struct evidence *v, const struct pair_row *row);
void evidence_merge(struct evidence *v, const struct evidence *other);
