#pragma once
/*
 * token_sampler - chooses a token from a distribution. It applies bias, penalties, temperature,
 * min-p, top-k and top-p, in this order, or with temperature last.
 *
 * Temperature 0 is greedy; among equal logits the lower id wins. The repetition penalty counts
 * tokens of prompt and answer and acts on the logit as in CTRL; the presence and frequency
 * penalties count tokens of the answer only. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/language.h"
#include "base/rng.h"

#define SAMPLING_BIAS_MAX 300

struct token_sampler_rules {
	double temperature;         /* 1: unchanged; 0: greedy */
	double top_p;               /* 1: off */
	double min_p;               /* 0: off */
	int64_t top_k;              /* 0 or less: off */
	double repetition;          /* 1: off */
	double presence, frequency; /* 0: off */
	struct language_item *bias; /* added to logits */
	uint32_t n_bias;
	bool cuts_first; /* min-p and top-p come before temperature */
	/* as requested; the sampler does not read these two: token_sampler_init() gets its seed */
	uint64_t seed;
	bool has_seed;
};

struct token_sampler {
	const struct language *language;
	const struct token_sampler_rules *rules;
	struct rng random;
	double tail_sum; /* language_tail_sum() at the temperature of `rules` */
	/* by id: how often the token is in the answer; NULL: no penalty needs it */
	uint16_t *counts;
	uint8_t *marks;         /* bits, by id; NULL as counts */
	struct tokens affected; /* ids on which bias or penalties may act */
	/* the tokens with a logit of their own at the current position */
	struct language_item *items;
	uint32_t n_items;
	size_t cap_items;
};

/* l and rules must outlive the sampler. Equal seeds give equal choices. */
void token_sampler_init(struct token_sampler *s, const struct language *l,
        const struct token_sampler_rules *rules, uint64_t seed);
void token_sampler_finish(struct token_sampler *s);
uint32_t token_sampler_pick(struct token_sampler *s, const struct language_spread *spread);
/* Call them after a token of the prompt was read, or one of the answer was added. */
void token_sampler_read(struct token_sampler *s, uint32_t id);
void token_sampler_add(struct token_sampler *s, uint32_t id);

/*
 * The distribution from which the last token_sampler_pick() drew, as logprobs: with penalties and
 * temperature, cut to min-p, top-k and top-p, and normalised to sum to 1. At temperature 0: as at
 * temperature 1, but not cut. Call it before token_sampler_add(). *ret_logprob: the logprob of the
 * token id. ret_top: room for max items; gets tokens with their logprobs, in descending order.
 * Returns the number of these. A token that was cut away has the logprob -INFINITY. masked: true:
 * ret_top lists such tokens too, after the others; false: it does not.
 */
uint32_t token_sampler_processed(struct token_sampler *s, const struct language_spread *spread,
        uint32_t id, bool masked, float *ret_logprob, struct language_item *ret_top, uint32_t max);
