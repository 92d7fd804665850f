#pragma once
/*
 * repeats - which answers of one backend are to the same prompt, in several exchanges: what it
 * differs from itself, without second legs.
 *
 * A repeat is one only under the same condition: the same run, stack and model, and the same
 * number of cached tokens, for an engine that reads a prompt out of its cache computes
 * otherwise. Whether the requests were the same byte for byte is for the caller to see.
 *
 * Bounded, whatever the order: prompts are chosen by their hash, about REPEATS_EXCHANGES
 * exchanges of a capture, with all their answers. Of one prompt at most REPEATS_OF_PROMPT
 * answers are kept.
 */
#include "capture/capture.h"

#define REPEATS_EXCHANGES 4096
#define REPEATS_OF_ONE 8      /* answers of one backend under one condition; the first ones */
#define REPEATS_OF_SAMPLED 16 /* exchanges with one sampled request; the first ones */
#define REPEATS_OF_PROMPT 256

struct repeat {
	uint64_t prompt;         /* its hash: part_hash() */
	uint8_t what[16];        /* a hash of all that must be the same */
	struct id exchange, leg; /* leg: zero where the whole exchange is meant */
	bool several;            /* it holds more than one answer of a backend by itself */
};

struct repeats {
	uint64_t exchanges; /* of the capture: by them prompts are chosen */
	size_t most;        /* of one condition */
	/* Zero-initialised is empty. */
	struct repeat *items;
	size_t n, cap;
};

/* All answers of the exchange that may be repeats of greedy ones. */
void repeats_add(struct repeats *r, const struct capture_exchange *e);
/* The exchange, if chance may have a part in its answers: whoever answered, the request is the
 * condition. One with a seed is left out: its answers are no independent draws. */
void repeats_add_sampled(struct repeats *r, const struct capture_exchange *e);
/* Sorts by prompt, condition and exchange, and keeps prompts that some backend answered twice. */
void repeats_settle(struct repeats *r);
void repeats_finish(struct repeats *r);
/* How many items from i on are of its prompt, and how many of its condition. Settled. */
size_t repeats_of_prompt(const struct repeats *r, size_t i);
size_t repeats_of_condition(const struct repeats *r, size_t i);
