#include "analyzer/compare/embedding_figures.h"

#include <math.h>

struct embedding_pair {
	double distance, difference;
};

/* Compares two vectors of the same length. Returns false if their angle is undefined. */
static bool compare(const float *base, const float *test, uint32_t n, struct embedding_pair *ret)
{
	double dot = 0, base_square = 0, test_square = 0, difference = 0;
	for (uint32_t i = 0; i < n; i++) {
		double b = (double)base[i], t = (double)test[i];
		dot += b * t;
		base_square += b * b;
		test_square += t * t;
		difference = fmax(difference, fabs(b - t));
	}
	/* A NaN in either vector makes dot NaN. */
	if (!isfinite(dot) || !(base_square > 0) || !(test_square > 0)) {
		return false;
	}
	/* Rounding may make a cosine exceed 1. */
	double cosine = dot / sqrt(base_square) / sqrt(test_square);
	ret->distance = difference > 0 ? fmax(0, 1 - cosine) : 0;
	ret->difference = difference;
	return true;
}

static void add_pair(
        struct embedding_figures *f, const struct embedding *base, const struct embedding *test)
{
	struct embedding_pair pair;
	if (base->n != test->n) {
		f->unlike_lengths++;
		return;
	}
	if (!compare(base->values, test->values, base->n, &pair)) {
		f->unusable++;
		return;
	}
	f->equal += !(pair.difference > 0);
	moments_add(&f->distance, pair.distance);
	moments_add(&f->difference, pair.difference);
	f->distance_max = fmax(f->distance_max, pair.distance);
	f->difference_max = fmax(f->difference_max, pair.difference);
}

/* Both sides are sorted by index. */
void embedding_figures_add(
        struct embedding_figures *f, const struct reading *base, const struct reading *test)
{
	size_t b = 0, t = 0;
	f->answers++;
	while (b < base->n_embeddings && t < test->n_embeddings) {
		const struct embedding *of_base = &base->embeddings[b],
		                       *of_test = &test->embeddings[t];
		if (of_base->index == of_test->index) {
			add_pair(f, of_base, of_test);
			b++;
			t++;
		} else {
			f->unmatched++;
			b += of_base->index < of_test->index;
			t += of_base->index > of_test->index;
		}
	}
	f->unmatched += base->n_embeddings - b + (test->n_embeddings - t);
}

void embedding_figures_merge(struct embedding_figures *f, const struct embedding_figures *other)
{
	f->answers += other->answers;
	f->unmatched += other->unmatched;
	f->unlike_lengths += other->unlike_lengths;
	f->unusable += other->unusable;
	f->equal += other->equal;
	moments_merge(&f->distance, &other->distance);
	moments_merge(&f->difference, &other->difference);
	f->distance_max = fmax(f->distance_max, other->distance_max);
	f->difference_max = fmax(f->difference_max, other->difference_max);
}
