#pragma once
/*
 * draws_rows - makes a row for each sampled answer of an exchange. Greedy answers have none.
 */
#include "analyzer/rows/draws_memory.h"
#include "analyzer/rows/exchange_reader.h"
#include "analyzer/rows/row_sink.h"

struct draws_maker {        /* the caller sets the first member and zero-initialises the others */
	uint64_t exchanges; /* number of exchanges of the capture */
	struct draws_memory memory;
};
void draws_maker_finish(struct draws_maker *m);

/* Gives the rows of one leg to sink. name: of the leg's side. */
void draws_rows(struct draws_maker *m, struct exchange_reader *r, size_t leg, const char *name,
        const struct row_sink *sink);
