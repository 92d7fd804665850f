#pragma once
/*
 * two_sample - do two backends draw their answers from one distribution? For sampled traffic, where
 * texts differ anyway: it compares repeated answers to the same prompts.
 *
 * Maximum mean discrepancy, unbiased, with a Hamming kernel over the first words of an answer; the
 * kernel is zero for answers to different prompts (Gao et al., "Model Equality Testing", arXiv
 * 2410.20247, who take characters). Within each prompt, answers are assigned to the two sides at
 * random, TWO_SAMPLE_DRAWS times, with the prompt's seed. Only the moments of the resulting
 * distribution are kept for a prompt, so that prompts can be added in any order: cumulants of
 * independent sums add.
 *
 * The p value is the tail of the Pearson type III distribution (a shifted gamma) with the sum's
 * variance and skewness, as for other permutation tests (Mielke, Berry and Johnson 1976,
 * "Multi-response permutation procedures for a priori classifications"; Mielke and Berry,
 * "Permutation Methods", chapter 2). With few answers there are few permutations, and no gamma
 * distribution fits their tail. Therefore p is at least the probability that every prompt has its
 * most extreme permutation. A p far below 0.001 shows only that p is small, not how small.
 *
 * At most TWO_SAMPLE_EACH answers of a side are compared: those whose names have the smallest
 * hashes, in the order of these hashes. So answers and prompts may be added in any order. One
 * thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"
#include "base/id.h"
#include "answers/reading.h"

#define TWO_SAMPLE_WORDS 50
#define TWO_SAMPLE_DRAWS 1000
#define TWO_SAMPLE_EACH 16 /* answers of a side to one prompt */

struct two_sample_answer { /* hashes of the first words; 0 after the end of the answer */
	uint32_t words[TWO_SAMPLE_WORDS];
};
/* Reads what the user sees: the text, or else the refusal, and tool calls; without the
 * reasoning. */
void two_sample_read(const struct choice *c, struct two_sample_answer *ret);

struct two_sample_side {                                   /* zero-initialised is empty */
	struct two_sample_answer answers[TWO_SAMPLE_EACH]; /* by hash of their names */
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
/* An answer is added once, by its name; it may be in several pairs. */
void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c);

/* What one prompt shows. */
struct two_sample_result {
	uint32_t base_answers, test_answers;
	/* Each side has at least two answers; otherwise the members below are not set. */
	bool is_tested;
	/* the discrepancy; below: its second and third moment under permutation (the mean is 0) */
	double distance;
	double variance, third;
	double extreme; /* the share of permutations with the most extreme value */
};
/* seed: of the prompt, the same in every run. */
void two_sample_test(
        const struct two_sample_prompt *p, uint64_t seed, struct two_sample_result *ret);

struct two_sample {                                   /* zero-initialised is empty */
	uint64_t prompts, base_answers, test_answers; /* of prompts with two answers of each side */
	uint64_t lone;                                /* prompts with fewer than two on a side */
	/* Sums over prompts, each weighed by the harmonic mean of its answers. */
	struct exact_sum weight, distance, variance, third, log_extreme;
	struct exact_losses losses;
};
void two_sample_add_result(struct two_sample *t, const struct two_sample_result *prompt);
double two_sample_distance(const struct two_sample *t); /* mean over prompts; NaN without any */
double two_sample_p(const struct two_sample *t);        /* NaN without prompts */
