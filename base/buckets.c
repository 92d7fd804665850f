#include "base/buckets.h"

#include "base/check.h"

#define MS(n) ((uint64_t)((n)*1000))
#define S(n) ((uint64_t)((n)*1000000))
#define BOUNDS(...)                                                                                \
	{                                                                                          \
		.n = sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), .us = { __VA_ARGS__ }   \
	}

const struct bounds BOUNDS_ADDED = BOUNDS(
        50, 100, 250, 500, MS(1), MS(2.5), MS(5), MS(10), MS(25), MS(50), MS(100), MS(250), S(1));
const struct bounds BOUNDS_COMMIT = BOUNDS(MS(1), MS(2.5), MS(5), MS(10), MS(25), MS(50), MS(100),
        MS(250), MS(500), S(1), S(2.5), S(5), S(10));
const struct bounds BOUNDS_GAP = BOUNDS(MS(1), MS(2.5), MS(5), MS(10), MS(15), MS(20), MS(30),
        MS(40), MS(50), MS(75), MS(100), MS(150), MS(200), MS(300), MS(500), S(1), S(2.5));
const struct bounds BOUNDS_ANSWER = BOUNDS(MS(5), MS(10), MS(25), MS(50), MS(100), MS(250), MS(500),
        S(1), S(2.5), S(5), S(10), S(25), S(60), S(120), S(300), S(600));

void buckets_figures(const struct buckets *b, struct buckets_figures *ret)
{
	uint64_t n = 0;
	expect(b->bounds->n <= BUCKETS_LIMIT);

	for (size_t i = 0; i <= b->bounds->n; i++) {
		n += atomic_load_explicit(&b->counts[i], memory_order_relaxed);
		ret->counts[i] = n;
	}
	ret->sum = atomic_load_explicit(&b->sum, memory_order_relaxed);
}
