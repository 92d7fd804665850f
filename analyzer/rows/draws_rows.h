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
 * Remembers earlier answers to a request. The same seed draws the same tokens, which must count
 * once; answers that repeat too often are not independent draws.
 *
 * Requests are the same if they agree in everything that a draw depends on, except the seed.
 * Bounded: requests are selected by the hash of their prompts, about DRAWS_MEMORY_REQUESTS
 * exchanges of a capture; the first DRAWS_MEMORY_ANSWERS different answers of each are kept.
 * Exchanges must come in the order of the capture.
 */
#define DRAWS_MEMORY_REQUESTS 16384
#define DRAWS_MEMORY_ANSWERS 8

struct draws_memory_answer {
	uint64_t text, seed; /* hashes; seed 0: none */
	double chance;       /* natural logarithm of an upper bound of its probability */
	uint32_t n;          /* number of occurrences */
};

struct draws_memory_request {
	uint64_t hash; /* not 0 */
	size_t n;
	struct draws_memory_answer answers[DRAWS_MEMORY_ANSWERS];
};

struct draws_memory { /* zero-initialised: empty */
	struct hash_table requests;
};

/* What is known of earlier answers to the request. */
struct draws_before {
	bool same_seed; /* an earlier answer has the same seed */
	uint64_t pairs; /* number of earlier answers with another seed or none */
	bool identical; /* one of these answers equals this one */
	/* upper bound of the probability that one of these answers equals this one */
	double expected;
};

/* Sets *ret from the earlier answers, and stores this one. request, text: hashes. */
void draws_memory_add(struct draws_memory *m, uint64_t request,
        const struct draws_memory_answer *answer, struct draws_before *ret);
void draws_memory_finish(struct draws_memory *m);

struct draws_maker {        /* the caller sets the first member and zero-initialises the others */
	uint64_t exchanges; /* number of exchanges of the capture */
	struct draws_memory memory;
};
void draws_maker_finish(struct draws_maker *m);

/* Gives the rows of one leg to sink. name: of the leg's side. */
void draws_rows(struct draws_maker *m, struct exchange_reader *r, size_t leg, const char *name,
        const struct row_sink *sink);
