#pragma once
/*
 * language - the simulated language model: the exact distribution of the next token for any prefix.
 *
 * Glossary
 *	state       what the model knows about a prefix, updated token by token: a 64-bit hash of
 *	            the whole prefix, and what grammar and spelling need. Faults that act like
 *	            another model or a mixed-up KV cache change the hash
 *	candidate   a token with a logit of its own at this position
 *	tail        all tokens without one: logit = base + TAIL[(id + shift) mod size]. TAIL is a
 *	            fixed table, and shift depends on the prefix. The sum of its exponentials is
 *	            known, so the normaliser of the whole vocabulary costs no more time than the
 *	            candidates
 *
 * Logits are float32 values. The same seed and tokens give the same logits in every process.
 * Without noise and quantising no tail token is more probable than a candidate. Any thread; each
 * state belongs to one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/vocabulary.h"

#define LANGUAGE_CANDIDATES 40
#define LANGUAGE_TOPICS 16

struct language_state {
	uint64_t hash; /* hash of all tokens so far */
	uint32_t last;
	uint32_t length;                  /* tokens so far */
	uint32_t answer;                  /* tokens since <|assistant|>, <|reasoner|> or </think> */
	uint32_t thinking;                /* tokens since <think>; 0: not in reasoning */
	uint16_t topics[LANGUAGE_TOPICS]; /* recent content words; a ring buffer */
	uint8_t n_topics;
	uint8_t last_class;
	bool has_verb;
	uint8_t spelled; /* number of bytes of an incomplete character in `spelling` */
	char spelling[16];
};

struct language_item {
	uint32_t id;
	float logit;
};

struct language_spread {
	/* in descending order, unless noise or quantising changed them */
	struct language_item items[LANGUAGE_CANDIDATES];
	uint32_t n;
	uint32_t shift;
	float base;
};

struct language;

struct language *language_create(uint64_t seed);
void language_destroy(struct language *l); /* NULL is fine */

/* language_begin() sets *s to the state of an empty prefix; language_push() adds one token. */
void language_begin(const struct language *l, struct language_state *s);
void language_push(const struct language *l, struct language_state *s, uint32_t token);
/* The distribution of the next token, without noise. */
void language_spread(
        const struct language *l, const struct language_state *s, struct language_spread *ret);

/* Changes of logits. Zero-initialised: none. */
struct language_numerics {
	double noise; /* standard deviation, in nats */
	double step;  /* logits are rounded to multiples of this; 0: not */
	/* the distances to the highest logit are multiplied by this; 0: unchanged */
	double gain;
	uint64_t noise_seed; /* the same seed gives the same noise for the same prefix and token */
};
void language_disturb(const struct language_numerics *n, const struct language_state *s,
        struct language_spread *spread);

float language_logit(const struct language *l, const struct language_spread *spread, uint32_t id);
/* The token's place among the candidates; spread->n: it belongs to the tail. */
uint32_t language_candidate(const struct language_spread *spread, uint32_t id);
/* The logit that a token has, or would have, in the tail. */
float language_tail_logit(
        const struct language *l, const struct language_spread *spread, uint32_t id);
/* Ranks the whole vocabulary by language_tail_logit(), in descending order; rank: below the size of
 * the vocabulary. The result may be a candidate, which the caller skips. */
uint32_t language_tail_token(
        const struct language *l, const struct language_spread *spread, uint32_t rank);
/* The sum of exp(TAIL[i] / temperature) over the whole table. Takes one pass over the table
 * unless the temperature is 1. */
double language_tail_sum(const struct language *l, double temperature);
/* The logarithm of the sum of exp(logit) over the whole vocabulary. */
double language_normaliser(const struct language *l, const struct language_spread *spread);
