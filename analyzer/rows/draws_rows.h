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
 * Remembers earlier answers to a request, for two reasons: the same seed draws the same tokens, so
 * such an answer must count only once; and answers that repeat too often are no independent draws.
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
	/* number of earlier answers that equal a kept answer; equal ones count each time. Each
	 * makes a pair with this answer. */
	uint64_t pairs;
	bool identical; /* one of these earlier answers equals this answer */
	/* upper bound of the probability of `identical` if answers are independent draws */
	double expected;
};

/* Sets *ret from the earlier answers. Then remembers this answer, unless ret->same_seed. request:
 * hash of the request. */
void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret);
void draws_memory_finish(struct draws_memory *m);

struct draws_maker { /* the caller sets the first member and zero-initialises the others */
	/* number of exchanges of the capture that the analysis covers, in all parts. If it is
	 * above DRAWS_MEMORY_REQUESTS, only a part of the prompts is remembered. */
	uint64_t exchanges;
	struct draws_memory memory;
};
void draws_maker_finish(struct draws_maker *m);

/* Gives the rows of one leg to sink: one for each choice; none if the answer is greedy, incomplete
 * or unreadable. leg: the leg's index in the exchange. name: becomes draws_row.backend. */
void draws_rows(struct draws_maker *m, struct exchange_reader *r, size_t leg, const char *name,
        const struct row_sink *sink);
