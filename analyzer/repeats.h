#pragma once
/*
 * repeats - answers of one backend to the same prompt in several exchanges: what it differs from itself,
 * told without second legs.
 *
 * A repeat is one only under the same condition: the same run, stack and model, and the same number of
 * cached tokens, for an engine that reads a prompt out of its cache computes otherwise. Whether the
 * requests were the same byte for byte is for the caller to see.
 *
 * Bounded: beyond REPEATS_LIMIT answers those prompts stay whose hashes are the smallest, all backends'
 * answers to them together: a sample of the prompts that depends on no order. Repeats merge.
 */
#include "capture/capture.h"

#define REPEATS_LIMIT 65536
#define REPEATS_OF_ONE 8 /* answers of one backend under one condition; the first ones */

#define REPEATS_OF_SAMPLED 16 /* exchanges with one sampled request; the first ones */

struct repeat {
	uint64_t prompt;         /* of its hash */
	uint8_t what[16];        /* a hash of all that must be the same */
	struct id exchange, leg; /* leg: zero where the whole exchange is meant */
	bool several;            /* it holds more than one answer of a backend by itself */
};

struct repeats { /* zero-initialised is empty */
	struct repeat *items;
	size_t n, cap;
	uint64_t bound; /* prompts from here on are not kept; 0: all are */
	size_t most;    /* of one condition; 0: REPEATS_OF_ONE */
};

/* All answers of the exchange that may be repeats of greedy ones. */
void repeats_add(struct repeats *r, const struct capture_exchange *e);
/* The exchange, if chance may have a part in its answers: whoever answered, the request is the condition. One
 * with a seed is left out: its answers are no independent draws. */
void repeats_add_sampled(struct repeats *r, const struct capture_exchange *e);
void repeats_merge(struct repeats *r, const struct repeats *other);
/* Sorts by prompt, condition and exchange, and keeps prompts that some backend answered twice. */
void repeats_settle(struct repeats *r);
void repeats_finish(struct repeats *r);
/* How many items from i on are of its prompt, and how many of its condition. Settled. */
size_t repeats_of_prompt(const struct repeats *r, size_t i);
size_t repeats_of_condition(const struct repeats *r, size_t i);
