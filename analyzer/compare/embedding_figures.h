#pragma once
/*
 * embedding_figures - compares the embedding vectors of two answers: by their cosine, and by the
 * largest difference between two values at the same place. An answer may have several vectors; the
 * two with the same index are a pair. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"
#include "answers/reading.h"

struct embedding_figures {
	uint64_t answers;        /* calls of embedding_figures_add() */
	uint64_t unmatched;      /* vectors whose index is missing on the other side */
	uint64_t unlike_lengths; /* pairs of vectors with different dimensions */
	/* pairs of vectors with a value that is missing or not finite, or with a vector that is
	 * all 0 */
	uint64_t unusable;
	uint64_t equal;          /* compared pairs of vectors in which all values are equal */
	struct moments distance; /* 1 - cosine of each compared pair of vectors, 0 to 2 */
	double distance_max;
	/* the largest absolute difference of two values in each compared pair */
	struct moments difference;
	double difference_max;
};

/* Adds the vectors of one pair of answers. */
void embedding_figures_add(
        struct embedding_figures *f, const struct reading *base, const struct reading *test);

void embedding_figures_merge(struct embedding_figures *f, const struct embedding_figures *other);
