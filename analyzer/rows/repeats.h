#pragma once
/*
 * repeats - finds answers of one backend to the same prompt in several exchanges. They show the
 * backend's noise without second legs.
 *
 * Repeats must have the same condition: the same backend, run, stack, model and endpoint, the same
 * length of the request, and the same number of cached tokens, because an engine computes
 * differently if a prompt is in its cache. The caller must check whether the requests are equal
 * byte for byte.
 *
 * Memory is limited, and the order of adding does not matter: prompts are selected by their hash,
 * so that about REPEATS_EXCHANGES exchanges of a capture are kept. At most REPEATS_OF_PROMPT items
 * of one prompt are kept.
 */
#include "capture/capture.h"

#define REPEATS_EXCHANGES 4096
#define REPEATS_OF_ONE 8      /* repeats.most for greedy answers */
#define REPEATS_OF_SAMPLED 16 /* repeats.most for sampled answers */
#define REPEATS_OF_PROMPT 256

struct repeat {
	uint64_t prompt;         /* part_hash() of the exchange */
	uint8_t what[16];        /* hash of everything that must be equal (the condition) */
	struct id exchange, leg; /* leg zero: the item is the whole exchange */
	bool several;            /* the exchange may have several answers of one backend */
};

struct repeats {
	uint64_t exchanges; /* number of selected exchanges in the capture (selection.h) */
	size_t most;        /* the most items under one condition; the first ones are kept */
	/* Zero-initialise the following. */
	struct repeat *items;
	size_t n, cap;
};

/* Adds all complete answers of the exchange, unless the request asks for sampling. This function
 * and the next one skip exchanges whose text was redacted or not recorded. */
void repeats_add(struct repeats *r, const struct capture_exchange *e);
/* Adds the exchange, as one item, if its answers may be sampled and it has two legs or more.
 * Here the condition is the request's prompt, length, model and endpoint, whichever backend
 * answered. Skips a request with a seed: its answers are not independent draws. */
void repeats_add_sampled(struct repeats *r, const struct capture_exchange *e);
/* Sorts by prompt, condition and exchange, and drops the prompts without any repeat. Call once,
 * after the last exchange. */
void repeats_settle(struct repeats *r);
void repeats_finish(struct repeats *r);
/* The number of consecutive items from i on with the same prompt, or with the same prompt and
 * condition. Call after repeats_settle(). */
size_t repeats_of_prompt(const struct repeats *r, size_t i);
size_t repeats_of_condition(const struct repeats *r, size_t i);
