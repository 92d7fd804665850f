#pragma once
/*
 * embedding - vectors of two answers held against each other: by the angle between them, and by the
 * value that differs most. Pure; sums in double precision.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"
#include "answers/reading.h"

struct embedding_figures {
	uint64_t answers;        /* pairs of answers with vectors on a side */
	uint64_t unmatched;      /* vectors whose index the other side does not have */
	uint64_t unlike_lengths; /* pairs of vectors of unlike dimensions */
	uint64_t unusable;       /* pairs with a missing value, or with a vector that is all 0 */
	uint64_t equal;          /* pairs compared whose values are the same */
	struct moments distance; /* 1 - cosine, of pairs compared */
	double distance_max;
	struct moments difference; /* the largest absolute difference of a value, a pair */
	double difference_max;
};

void embedding_figures_add(
        struct embedding_figures *f, const struct reading *base, const struct reading *test);

void embedding_figures_merge(struct embedding_figures *f, const struct embedding_figures *other);
