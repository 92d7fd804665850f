#pragma once
/*
 * row_sink - a receiver of the rows of a capture: a fold, a file, a list of pairs to judge.
 */
#include "analyzer/compare/pair.h"
#include "analyzer/rows/rows.h"

/* The texts from which a row of two answers was made, for receivers that need more than figures. */
struct pair_texts {
	const struct capture_exchange *e;
	struct pair pair;
	const struct choice *base, *test;
	struct span request; /* the request's body; empty: it can't be read */
};

#define ALL_ROWS (~UINT32_C(0))

struct row_sink {
	/* Bit 1 << type: the receiver wants rows of this type. Other rows need not be made. */
	uint32_t wanted;
	/* Called for each row of these types. Row and texts live only during the call. texts:
	 * NULL unless the row is a pair_row that has_choices. */
	void (*take)(void *arg, const struct row *row, const struct pair_texts *texts);
	void *arg;
};

static inline bool row_sink_wants(const struct row_sink *s, enum row_type type)
{
	return s->wanted & UINT32_C(1) << type;
}

/* A copy of *s that wants only rows of this type, and none if *s does not want these. */
static inline struct row_sink row_sink_only(const struct row_sink *s, enum row_type type)
{
	return (struct row_sink){s->wanted & UINT32_C(1) << type, s->take, s->arg};
}

/* Gives a row to the sink, unless its type is not wanted. */
static inline void row_sink_put(
        const struct row_sink *s, const struct row *row, const struct pair_texts *texts)
{
	if (row_sink_wants(s, row->type)) {
		s->take(s->arg, row, texts);
	}
}
