#pragma once
/*
 * embedding_figures - compares the embedding vectors of two answers: by the angle between them, and
 * by the value that differs most. Pure; sums in double precision.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"
#include "answers/reading.h"

struct embedding_figures {
	uint64_t answers;        /* pairs of answers with vectors on at least one side */
	uint64_t unmatched;      /* vectors whose index is missing on the other side */
	uint64_t unlike_lengths; /* pairs of vectors with different dimensions */
	uint64_t unusable;       /* pairs with a missing value, or with a vector that is all 0 */
	uint64_t equal;          /* compared pairs of vectors with equal values */
	struct moments distance; /* 1 - cosine, of compared pairs of vectors */
	double distance_max;
	struct moments difference; /* the largest absolute difference of a value in each pair */
	double difference_max;
};

void embedding_figures_add(
        struct embedding_figures *f, const struct reading *base, const struct reading *test);

void embedding_figures_merge(struct embedding_figures *f, const struct embedding_figures *other);
