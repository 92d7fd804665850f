#pragma once
/*
 * two_sample - do two backends draw their answers from one distribution? For sampled traffic, where texts
 * differ anyhow: by repeated answers to the same prompts.
 *
 * Maximum mean discrepancy, unbiased, with a Hamming kernel over the first words of an answer, zero across
 * prompts (Gao et al., "Model Equality Testing", arXiv 2410.20247, who take characters). Its p value is by
 * permutation of the two names within each prompt, TWO_SAMPLE_DRAWS times with a fixed seed: exact whatever
 * the prompts are. Prompts are added one after the other; of each only its share of the sums stays.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "reading/reading.h"

#define TWO_SAMPLE_WORDS 50
#define TWO_SAMPLE_DRAWS 1000
#define TWO_SAMPLE_EACH 16 /* answers of a side to one prompt; the first ones */

struct two_sample_answer { /* hashes of words; 0 behind its end */
	uint32_t words[TWO_SAMPLE_WORDS];
};
/* Of what was said to the user: text, else refusal, and tool calls; the reasoning has no part in it. */
void two_sample_read(const struct choice *c, struct two_sample_answer *ret);

struct two_sample_side { /* zero-initialised is empty */
	struct two_sample_answer answers[TWO_SAMPLE_EACH];
	struct two_sample_name {
		struct id leg;
		int32_t choice;
	} names[TWO_SAMPLE_EACH];
	size_t n;
};
struct two_sample_prompt {
	struct two_sample_side base, test;
};
/* An answer that is there already, by its name, is not added again: it may have met several of the other
 * side. */
void two_sample_add(struct two_sample_side *s, struct id leg, const struct choice *c);

struct two_sample {                                   /* zero-initialised is empty */
	uint64_t prompts, base_answers, test_answers; /* of prompts with two answers of each side */
	uint64_t lone;                                /* prompts with fewer */
	double weight, sum;
	double drawn[TWO_SAMPLE_DRAWS];
};
/* Once a prompt is complete. seed: of the prompt, the same in every run. */
void two_sample_judge(struct two_sample *t, const struct two_sample_prompt *p, uint64_t seed);
double two_sample_distance(const struct two_sample *t); /* mean over prompts; NaN without any */
double two_sample_p(const struct two_sample *t);        /* NaN without prompts */
