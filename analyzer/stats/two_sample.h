#pragma once
/*
 * two_sample - tests whether two backends draw their answers from the same distribution. For
 * sampled traffic, where texts differ anyway: it compares repeated answers to the same prompts.
 *
 * The statistic is the unbiased maximum mean discrepancy (Gao et al., "Model Equality Testing",
 * arXiv 2410.20247). Its kernel is the share of equal words at equal places among the first
 * TWO_SAMPLE_WORDS words, relative to the longer answer (Gao et al. compare characters). The
 * statistic of a prompt is the mean kernel of two answers of the base, plus that of two answers of
 * the test, minus twice that of an answer of each. For its distribution under the null hypothesis,
 * the prompt's answers are assigned to the two sides at random, TWO_SAMPLE_PERMUTATIONS times. Only
 * the moments of this distribution are kept. Cumulants of independent sums add up, so prompts can
 * be added in any order.
 *
 * The p value is the tail of the Pearson type III distribution (a shifted gamma) with the sum's
 * variance and skewness, as for other permutation tests (Mielke, Berry and Johnson 1976,
 * "Multi-response permutation procedures for a priori classifications"; Mielke and Berry,
 * "Permutation Methods", chapter 2). With few answers there are few permutations, and no gamma
 * distribution fits their tail. Therefore p is at least the probability that every prompt has its
 * most extreme permutation. A p far below 0.001 shows only that p is small, not how small.
 *
 * At most TWO_SAMPLE_EACH answers of a side to one prompt are compared: those whose names have the
 * smallest hashes. A name is the id of a leg with the index of a choice. So answers and prompts may
 * be added in any order. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"
#include "base/id.h"
#include "answers/reading.h"

#define TWO_SAMPLE_WORDS 50
#define TWO_SAMPLE_PERMUTATIONS 1000
#define TWO_SAMPLE_ALPHA 0.01 /* the level of the test; there is one for each group */
#define TWO_SAMPLE_EACH 16    /* the most answers of a side to one prompt */

struct two_sample_answer { /* hashes of the answer's first words; 0 after the last one */
	uint32_t words[TWO_SAMPLE_WORDS];
};
/* Reads what the user sees: the text without the reasoning in it, the refusal, and the tool
 * calls outside of the text. White space separates words. */
void two_sample_read(const struct choice *c, struct two_sample_answer *ret);

struct two_sample_side {                                   /* zero-initialised: empty */
	struct two_sample_answer answers[TWO_SAMPLE_EACH]; /* ordered by the hashes in `names` */
	struct two_sample_name {
		uint64_t hash;
		struct id leg;
		int32_t choice;
	} names[TWO_SAMPLE_EACH];
	size_t n;
};
struct two_sample_prompt {
	struct two_sample_side base, test;
};
/* Adds a choice of a leg. Adding it again changes nothing: an answer may be in several pairs. */
void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c);

/* The result of one prompt. */
struct two_sample_result {
	uint32_t base_answers, test_answers;
	/* each side has at least two answers; if not, the members below are 0 */
	bool is_tested;
	/* distance: the discrepancy. variance, third: its second and third moment under
	 * permutation (the mean is 0). */
	double distance;
	double variance, third;
	double extreme; /* share of permutations with the greatest discrepancy */
};
/* seed: derived from the prompt, the same in every run. */
void two_sample_test(
        const struct two_sample_prompt *p, uint64_t seed, struct two_sample_result *ret);

struct two_sample { /* zero-initialised: empty */
	/* prompts with two answers or more of each side, and their answers */
	uint64_t prompts, base_answers, test_answers;
	/* prompts with answers, but fewer than two of a side */
	uint64_t unpaired;
	/* Sums over prompts. A prompt with n and m answers of the two sides has the weight w = n
	 * m / (n + m); distance, variance and third are multiplied by w, w^2 and w^3.
	 * log_extreme: logarithms of `extreme`, without a weight. */
	struct exact_sum weight, distance, variance, third, log_extreme;
};
void two_sample_add_result(struct two_sample *t, const struct two_sample_result *prompt);
/* the sum of w `distance` over prompts, divided by the sum of w; NaN: there are none */
double two_sample_distance(const struct two_sample *t);
/* The p value: the probability that permuted answers have at least the observed sum of distances
 * over prompts. 1: no permutation changes the sum; NaN: there are no prompts. */
double two_sample_p(const struct two_sample *t);
