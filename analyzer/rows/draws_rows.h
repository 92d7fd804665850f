#pragma once
/*
 * draws_rows - makes a row for each sampled answer of an exchange. Greedy answers have none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/rows/exchange_reader.h"
#include "analyzer/rows/row_sink.h"
#include "base/hash_table.h"

/*
 * Remembers earlier answers to a request: the same seed draws the same tokens, which must count
 * only once, and answers that repeat too often are not independent draws.
 *
 * Requests are the same if they agree in everything that a draw depends on, except the seed.
 * Memory is limited: requests are selected by the hash of their prompts, so that about
 * DRAWS_MEMORY_REQUESTS exchanges of a capture are remembered. Of each request the first
 * DRAWS_MEMORY_ANSWERS different answers are kept. Exchanges must come in the order of the capture.
 */
#define DRAWS_MEMORY_REQUESTS 16384
#define DRAWS_MEMORY_ANSWERS 8

struct draws_memory_answer {
	uint64_t text, seed; /* hashes; seed 0: none */
	double chance;       /* natural logarithm of an upper bound of its probability */
	uint32_t n;          /* how often it occurred; draws_memory_add() sets it */
};

struct draws_memory_request {
	uint64_t hash; /* not 0 */
	size_t n;
	struct draws_memory_answer answers[DRAWS_MEMORY_ANSWERS];
};

struct draws_memory { /* zero-initialised: empty */
	struct hash_table requests;
};

/* What the remembered answers to the request say about the next answer. */
struct draws_before {
	bool same_seed; /* an earlier answer has the same seed; then the other members are 0 */
	uint64_t pairs; /* number of earlier answers that are remembered */
	bool identical; /* one of these answers equals this one */
	/* upper bound of the probability of `identical` if answers are independent draws */
	double expected;
};

/* Sets *ret from the earlier answers, then stores this one, unless same_seed. request: hash of
 * the request. */
void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret);
void draws_memory_finish(struct draws_memory *m);

struct draws_maker {        /* the caller sets the first member and zero-initialises the others */
	uint64_t exchanges; /* number of selected exchanges of the capture */
	struct draws_memory memory;
};
void draws_maker_finish(struct draws_maker *m);

/* Gives the rows of one leg to sink, one for each choice; none if its answer is greedy,
 * incomplete or unreadable. leg: its index in the exchange; name: the row's backend. */
void draws_rows(struct draws_maker *m, struct exchange_reader *r, size_t leg, const char *name,
        const struct row_sink *sink);
