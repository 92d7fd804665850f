#include <string.h>

#include "analyzer/prose.h"

#define EDIT_SIMILARITY 0.7f /* above it a difference is an edit of the same text */
#define SORT_SOME 48         /* words from which on sorting by bytes pays */
#define SORT_MANY 2048 /* ... from which on words that share some bytes must not cost squares */

static void sort_some(struct prose_word *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct prose_word w = a[i];
		size_t k = i;
		for (; k && a[k - 1].hash > w.hash; k--) {
			a[k] = a[k - 1];
		}
		a[k] = w;
	}
}

/* By the bytes of the hash above `shift`, the lowest first; returns where they are then. */
static struct prose_word *sort_by_bytes(
        struct prose_word *a, struct prose_word *b, size_t n, int shift)
{
	for (; shift < 64; shift += 8) {
		uint32_t counts[257] = {0};
		for (size_t i = 0; i < n; i++) {
			counts[(a[i].hash >> shift & 0xff) + 1]++;
		}
		for (size_t i = 1; i < 257; i++) {
			counts[i] += counts[i - 1];
		}
		for (size_t i = 0; i < n; i++) {
			b[counts[a[i].hash >> shift & 0xff]++] = a[i];
		}
		struct prose_word *swap = a;
		a = b;
		b = swap;
	}
	return a;
}

/* The words by their hashes, in p->order. */
static const struct prose_word *sorted(struct prose *p)
{
	size_t n = prose_count(p);
	buf_clear(&p->order);
	buf_reserve(&p->order, 2 * n * sizeof(struct prose_word) + 1);
	struct prose_word *a = (struct prose_word *)(void *)p->order.data;
	if (n) {
		memcpy(a, p->words.data, n * sizeof(*a));
	}
	if (n >= SORT_MANY) {
		return sort_by_bytes(a, a + n, n, 0);
	}
	if (n >= SORT_SOME) {
		a = sort_by_bytes(a, a + n, n, 48);
	}
	sort_some(a, n);
	return a;
}

struct overlap {
	size_t common;
	size_t numbers_a, numbers_b, numbers;
	bool names_a, names_b; /* one that the other lacks */
};

/* Words of one hash, the same in both, or in one alone. */
static void add_run(struct overlap *o, const struct prose_word *a, size_t n_a,
        const struct prose_word *b, size_t n_b)
{
	size_t numbers_a = 0, numbers_b = 0;
	for (size_t i = 0; i < n_a; i++) {
		numbers_a += (a[i].flags & PROSE_NUMBER) != 0;
		o->names_a |= n_b == 0 && (a[i].flags & PROSE_NAME);
	}
	for (size_t i = 0; i < n_b; i++) {
		numbers_b += (b[i].flags & PROSE_NUMBER) != 0;
		o->names_b |= n_a == 0 && (b[i].flags & PROSE_NAME);
	}
	o->common += MIN(n_a, n_b);
	o->numbers_a += numbers_a;
	o->numbers_b += numbers_b;
	o->numbers += MIN(numbers_a, numbers_b);
}

static struct overlap overlap_of(struct prose *p, struct prose *q)
{
	struct overlap o = {0};
	const struct prose_word *a = sorted(p), *b = sorted(q);
	size_t n = prose_count(p), m = prose_count(q);
	for (size_t i = 0, k = 0; i < n || k < m;) {
		uint64_t hash = k == m || (i < n && a[i].hash <= b[k].hash) ? a[i].hash : b[k].hash;
		size_t from_a = i, from_b = k;
		while (i < n && a[i].hash == hash) {
			i++;
		}
		while (k < m && b[k].hash == hash) {
			k++;
		}
		add_run(&o, a + from_a, i - from_a, b + from_b, k - from_b);
	}
	return o;
}

static size_t negations(const struct prose *p)
{
	size_t n = 0;
	for (size_t i = 0; i < prose_count(p); i++) {
		n += (prose_words(p)[i].flags & PROSE_NEGATION) != 0;
	}
	return n;
}

enum agreement prose_agreement(struct prose *a, struct prose *b, struct prose_difference *ret)
{
	*ret = (struct prose_difference){.similarity = 1};
	if (span_equal(buf_span(&a->form), buf_span(&b->form))) {
		return AGREE_SAME;
	}
	struct overlap o = overlap_of(a, b);
	size_t all = prose_count(a) + prose_count(b);
	bool lacks_a = o.numbers < o.numbers_b, lacks_b = o.numbers < o.numbers_a;
	ret->similarity = 2.0f * (float)o.common / (float)MAX(all, 1);
	ret->numbers = lacks_a && lacks_b;
	ret->names = o.names_a && o.names_b;
	ret->negations = negations(a) != negations(b);
	ret->any = lacks_a || lacks_b || o.names_a || o.names_b || ret->negations;
	bool edit = ret->similarity >= EDIT_SIMILARITY;
	return edit && (ret->numbers || ret->names || ret->negations) ? AGREE_CHANGED
	                                                              : AGREE_UNDECIDED;
}

enum agreement prose_agreement_of(struct span a, struct span b, struct prose_difference *ret)
{
	struct prose x = {0}, y = {0};
	prose_read_both(&x, a, &y, b);
	enum agreement agreement = prose_agreement(&x, &y, ret);
	prose_finish(&x);
	prose_finish(&y);
	return agreement;
}
