#pragma once
/*
 * row_sink - receives the rows of a capture: a fold, a file, a list of pairs to judge.
 */
#include "analyzer/compare/pair.h"
#include "analyzer/rows/rows.h"

/* The texts behind a row of two answers, for receivers that need more than figures. */
struct pair_texts {
	const struct capture_exchange *e;
	struct pair pair;
	const struct choice *base, *test;
	struct span request; /* its body; empty if it can't be read */
};

#define ALL_ROWS (~UINT32_C(0))

struct row_sink {
	/* The bits of the wanted row types. Rows of other types need not be made. */
	uint32_t wanted;
	/* Row and texts are borrowed. texts: NULL unless the row has two answers. */
	void (*take)(void *arg, const struct row *row, const struct pair_texts *texts);
	void *arg;
};

static inline bool row_sink_wants(const struct row_sink *s, enum row_type type)
{
	return s->wanted & UINT32_C(1) << type;
}

static inline struct row_sink row_sink_only(const struct row_sink *s, enum row_type type)
{
	return (struct row_sink){s->wanted & UINT32_C(1) << type, s->take, s->arg};
}

/* Drops a row of a type that is not wanted. */
static inline void row_sink_put(
        const struct row_sink *s, const struct row *row, const struct pair_texts *texts)
{
	if (row_sink_wants(s, row->type)) {
		s->take(s->arg, row, texts);
	}
}
