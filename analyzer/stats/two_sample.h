#pragma once
/*
 * two_sample - tests whether two backends draw their answers from the same distribution. For
 * sampled traffic, where texts differ anyway: it compares repeated answers to the same prompts.
 *
 * The statistic is the maximum mean discrepancy, unbiased, with a Hamming kernel over the first
 * words of an answer; the kernel is zero for answers to different prompts (Gao et al., "Model
 * Equality Testing", arXiv 2410.20247, who take characters). Within each prompt, answers are
 * assigned to the two sides at random, TWO_SAMPLE_DRAWS times, with the prompt's seed. For each
 * prompt only the moments of the resulting distribution are kept. Cumulants of independent sums add
 * up, so prompts can be added in any order.
 *
 * The p value is the tail of the Pearson type III distribution (a shifted gamma) with the sum's
 * variance and skewness, as for other permutation tests (Mielke, Berry and Johnson 1976,
 * "Multi-response permutation procedures for a priori classifications"; Mielke and Berry,
 * "Permutation Methods", chapter 2). With few answers there are few permutations, and no gamma
 * distribution fits their tail. Therefore p is at least the probability that every prompt has its
 * most extreme permutation. A p far below 0.001 shows only that p is small, not how small.
 *
 * At most TWO_SAMPLE_EACH answers of a side are compared: those whose names have the smallest
 * hashes, ordered by these hashes. A name is the id of a leg with the index of a choice. So answers
 * and prompts may be added in any order. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"
#include "base/id.h"
#include "answers/reading.h"

#define TWO_SAMPLE_WORDS 50
#define TWO_SAMPLE_DRAWS 1000
#define TWO_SAMPLE_EACH 16 /* the most answers of a side to one prompt */

struct two_sample_answer { /* hashes of its first words; 0 after its end */
	uint32_t words[TWO_SAMPLE_WORDS];
};
/* Reads what the user sees: the text (or the refusal if there is no text) and the tool calls,
 * without the reasoning. */
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
/* Adds an answer; adding it again changes nothing, since an answer may be in several pairs. */
void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c);

/* The result of one prompt. */
struct two_sample_result {
	uint32_t base_answers, test_answers;
	/* Each side has at least two answers; if not, the members below are not set. */
	bool is_tested;
	/* the discrepancy; its second and third moment under permutation (the mean is 0) */
	double distance;
	double variance, third;
	double extreme; /* share of permutations with the most extreme value */
};
/* seed: derived from the prompt, the same in every run. */
void two_sample_test(
        const struct two_sample_prompt *p, uint64_t seed, struct two_sample_result *ret);

struct two_sample { /* zero-initialised: empty */
	/* prompts with two answers or more of each side, and their answers */
	uint64_t prompts, base_answers, test_answers;
	/* prompts with fewer than two answers of a side */
	uint64_t lone;
	/* Sums over prompts; a prompt's weight is the harmonic mean of its numbers of answers. */
	struct exact_sum weight, distance, variance, third, log_extreme;
	struct exact_losses losses;
};
void two_sample_add_result(struct two_sample *t, const struct two_sample_result *prompt);
/* weighted mean over prompts; NaN: there are none */
double two_sample_distance(const struct two_sample *t);
double two_sample_p(const struct two_sample *t); /* NaN without prompts */
