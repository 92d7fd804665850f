#pragma once
/*
 * two_sample - do two backends draw their answers from one distribution? For sampled traffic, where
 * texts differ anyhow: by repeated answers to the same prompts.
 *
 * Maximum mean discrepancy, unbiased, with a Hamming kernel over the first words of an answer, zero
 * across prompts (Gao et al., "Model Equality Testing", arXiv 2410.20247, who take characters). Its p
 * value is by permutation of the two names within each prompt, TWO_SAMPLE_DRAWS times with a fixed
 * seed: exact whatever the prompts are. Of each prompt only its share of the sums is kept.
 *
 * Answers may be added in any order: those whose names have the smallest hashes are compared, in the
 * order of these. Sums are exact: prompts may be added and merged in any order. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"
#include "base/id.h"
#include "reading/reading.h"

#define TWO_SAMPLE_WORDS 50
#define TWO_SAMPLE_DRAWS 1000
#define TWO_SAMPLE_EACH 16 /* answers of a side to one prompt */

struct two_sample_answer { /* hashes of words; 0 behind its end */
	uint32_t words[TWO_SAMPLE_WORDS];
};
/* Of what was said to the user: text, else refusal, and tool calls; without the reasoning. */
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
/* An answer that is there already, by its name, is not added again: it may be in several pairs. */
void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c);

struct two_sample {                                   /* zero-initialised is empty */
	uint64_t prompts, base_answers, test_answers; /* of prompts with two answers of each side */
	uint64_t lone;                                /* prompts with fewer */
	struct exact_sum weight, sum, drawn[TWO_SAMPLE_DRAWS]; /* of bounded shares */
};
/* Once a prompt is complete. seed: of the prompt, the same in every run. */
void two_sample_judge(struct two_sample *t, const struct two_sample_prompt *p, uint64_t seed);
void two_sample_merge(struct two_sample *t, const struct two_sample *other);
double two_sample_distance(const struct two_sample *t); /* mean over prompts; NaN without any */
double two_sample_p(const struct two_sample *t);        /* NaN without prompts */
