#pragma once
/*
 * merging - whether a block of sums says the same however values are split into parts and merged.
 *
 * Values have numbers from 0 on. They are added once in their order to one block, and then in
 * random order to a random number of parts, which are merged in random order and grouping. What
 * the block says in the end must be the same bytes.
 */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/buf.h"
#include "seeded.h"

#define MERGING_ROUNDS 8
#define MERGING_PARTS 7

struct merging {
	size_t size; /* of the block, which is empty when all zero */
	size_t values;
	void (*add)(void *block, uint64_t number);
	void (*merge)(void *block, const void *other);
	void (*say)(void *block, struct buf *to); /* last; may settle it */
	void (*finish)(void *block);              /* or NULL */
};

static inline void merging_put(struct buf *to, const void *data, size_t n)
{
	buf_append(to, data, n);
}

static void merging_end(const struct merging *m, void *block, struct buf *ret)
{
	m->say(block, ret);
	if (m->finish) {
		m->finish(block);
	}
	free(block);
}

static void merging_add_all(const struct merging *m, void **parts, size_t n)
{
	size_t *order = calloc(m->values, sizeof(*order));
	for (size_t i = 0; i < m->values; i++) {
		size_t k = below(i + 1);
		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < m->values; i++) {
		m->add(parts[below(n)], order[i]);
	}
	free(order);
}

/* Any two of the parts, until one is left. */
static void *merging_merge_all(const struct merging *m, void **parts, size_t n)
{
	while (n > 1) {
		size_t from = below(n), to = (from + 1 + below(n - 1)) % n;
		m->merge(parts[to], parts[from]);
		if (m->finish) {
			m->finish(parts[from]);
		}
		free(parts[from]);
		parts[from] = parts[--n];
	}
	return parts[0];
}

static void merging_check(const struct merging *m)
{
	struct buf whole = {0};
	void *one = calloc(1, m->size);
	for (size_t i = 0; i < m->values; i++) {
		m->add(one, i);
	}
	merging_end(m, one, &whole);
	cr_assert_gt(whole.len, 0);
	for (int round = 0; round < MERGING_ROUNDS; round++) {
		void *parts[MERGING_PARTS];
		struct buf merged = {0};
		size_t n = 1 + below(MERGING_PARTS);
		for (size_t i = 0; i < n; i++) {
			parts[i] = calloc(1, m->size);
		}
		merging_add_all(m, parts, n);
		merging_end(m, merging_merge_all(m, parts, n), &merged);
		cr_assert(span_equal(buf_span(&whole), buf_span(&merged)), "round %d", round);
		buf_finish(&merged);
	}
	buf_finish(&whole);
}

/* What value number n is: the same in every order. Of both signs, over many magnitudes. */
static inline double merging_value(uint64_t number)
{
	uint64_t z = (number + 1) * 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9;
	double share = (double)(z >> 11) * 0x1p-53;
	return (z & 1 ? 1 : -1) * exp(share * 60 - 40);
}

/* A hash of the number. */
static inline uint64_t mixed(uint64_t number)
{
	return (number + 1) * 0x9e3779b97f4a7c15;
}
