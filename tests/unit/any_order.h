#pragma once
/*
 * any_order - checks that a struct of sums (a block) does not depend on the order of adding values.
 *
 * Values have numbers from 0 on. any_order_check() adds them in this order to one block, and in
 * random orders to others. say() must write the same bytes for all blocks.
 */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/buf.h"
#include "seeded.h"

#define ANY_ORDER_ROUNDS 8

struct any_order {
	size_t size;   /* bytes of a block; zero-initialised, it must be empty */
	size_t values; /* number of values */
	void (*add)(void *block, uint64_t number);
	/* Called once, after the last value; may change the block. */
	void (*say)(void *block, struct buf *to);
	void (*finish)(void *block); /* or NULL */
};

static inline void any_order_put(struct buf *to, const void *data, size_t n)
{
	buf_append(to, data, n);
}

/* order: numbers of the values. */
static void any_order_add(const struct any_order *o, const size_t *order, struct buf *ret)
{
	void *block = calloc(1, o->size);
	for (size_t i = 0; i < o->values; i++) {
		o->add(block, order[i]);
	}
	o->say(block, ret);
	if (o->finish) {
		o->finish(block);
	}
	free(block);
}

static void any_order_check(const struct any_order *o)
{
	struct buf first = {0};
	size_t *order = calloc(o->values, sizeof(*order));
	for (size_t i = 0; i < o->values; i++) {
		order[i] = i;
	}
	any_order_add(o, order, &first);
	cr_assert_gt(first.len, 0);
	for (int round = 0; round < ANY_ORDER_ROUNDS; round++) {
		struct buf other = {0};
		for (size_t i = o->values; i > 1; i--) {
			size_t k = below(i), kept = order[i - 1];
			order[i - 1] = order[k];
			order[k] = kept;
		}
		any_order_add(o, order, &other);
		cr_assert(span_equal(buf_span(&first), buf_span(&other)), "round %d", round);
		buf_finish(&other);
	}
	buf_finish(&first);
	free(order);
}

/* The value with this number: of either sign, over many magnitudes. */
static inline double any_order_value(uint64_t number)
{
	uint64_t z = (number + 1) * 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9;
	double share = (double)(z >> 11) * 0x1p-53;
	return (z & 1 ? 1 : -1) * exp(share * 60 - 40);
}

static inline uint64_t mixed(uint64_t number)
{
	return (number + 1) * 0x9e3779b97f4a7c15;
}
