#pragma once
/*
 * repeats - finds answers of one backend to the same prompt in several exchanges. They show the
 * backend's noise without second legs.
 *
 * A repeat needs the same condition: the same run, stack and model, and the same number of cached
 * tokens, since an engine computes differently when a prompt is in its cache. The caller must check
 * whether the requests are equal byte for byte.
 *
 * Memory is bounded, and the order of adding does not matter: prompts are selected by their hash,
 * so that about REPEATS_EXCHANGES exchanges of a capture are kept, with all their answers. At most
 * REPEATS_OF_PROMPT answers of one prompt are kept.
 */
#include "capture/capture.h"

#define REPEATS_EXCHANGES 4096
#define REPEATS_OF_ONE 8      /* the first answers of one backend under one condition */
#define REPEATS_OF_SAMPLED 16 /* the first exchanges with one sampled request */
#define REPEATS_OF_PROMPT 256

struct repeat {
	uint64_t prompt;         /* its hash: part_hash() */
	uint8_t what[16];        /* a hash of everything that must be equal */
	struct id exchange, leg; /* leg: zero for the whole exchange */
	bool several;            /* the exchange itself holds more than one answer of a backend */
};

struct repeats {
	uint64_t exchanges; /* in the capture; used to select prompts */
	size_t most;        /* the most items under one condition */
	/* Zero-initialised is empty. */
	struct repeat *items;
	size_t n, cap;
};

/* Adds all answers of the exchange that may be repeats of greedy ones. */
void repeats_add(struct repeats *r, const struct capture_exchange *e);
/* Adds the exchange if its answers may be sampled. Here the condition is only the request,
 * whichever backend answered. A request with a seed is skipped: its answers are not independent
 * draws. */
void repeats_add_sampled(struct repeats *r, const struct capture_exchange *e);
/* Sorts by prompt, condition and exchange, and keeps prompts that a backend answered twice. */
void repeats_settle(struct repeats *r);
void repeats_finish(struct repeats *r);
/* The number of consecutive items, beginning at i, with the same prompt; and with the same
 * prompt and condition. Call after repeats_settle(). */
size_t repeats_of_prompt(const struct repeats *r, size_t i);
size_t repeats_of_condition(const struct repeats *r, size_t i);
