#pragma once
/*
 * draws_memory - which answers to a request had been there before: the same seed draws the same tokens, which
 * count once, and answers that come again too often are no draws.
 *
 * Requests are those that agree in all that a draw depends on, but for the seed. Bounded: requests are chosen by
 * the hash of their prompts, about DRAWS_MEMORY_REQUESTS exchanges of a capture; of each the first
 * DRAWS_MEMORY_ANSWERS unlike answers are kept. Exchanges must come in the order of the capture.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRAWS_MEMORY_REQUESTS 16384
#define DRAWS_MEMORY_ANSWERS 8

struct draws_memory_answer {
	uint64_t text, seed; /* hashes; seed 0: none */
	double chance;       /* at most; natural logarithm */
	uint32_t n;          /* times that it came */
};

struct draws_memory { /* zero-initialised is empty */
	struct draws_memory_request {
		uint64_t hash; /* 0: a free place */
		size_t n;
		struct draws_memory_answer answers[DRAWS_MEMORY_ANSWERS];
	} * requests;
	size_t n, room;
};

/* What is known of an answer to that request before it. */
struct draws_before {
	bool same_seed;  /* one with its seed had been there */
	uint64_t pairs;  /* answers with other seeds or none */
	bool identical;  /* one of these says the same */
	double expected; /* the chance of that, at most */
};

/* Tells what had been there before, and keeps the answer. request, text: hashes. */
void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret);
void draws_memory_finish(struct draws_memory *m);
