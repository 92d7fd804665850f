#pragma once
/*
 * buckets - counts of values between fixed bounds, for Prometheus histograms. (histogram.h keeps
 * each value to a thousandth, and is for one thread.)
 *
 * Values are microseconds. A few words of memory and a few instructions a value; any thread,
 * lock-free. Zero-initialised except for the bounds is empty.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define BUCKETS_LIMIT 18

struct bounds {
	size_t n; /* at most BUCKETS_LIMIT */
	uint64_t us[BUCKETS_LIMIT];
};

/* 50 us to 1 s: latency that the proxy adds to an answer */
extern const struct bounds BOUNDS_ADDED;
extern const struct bounds BOUNDS_COMMIT; /* 1 ms to 10 s: commits to a disk */
extern const struct bounds BOUNDS_GAP;    /* 1 ms to 2.5 s: between two tokens */
extern const struct bounds BOUNDS_ANSWER; /* 5 ms to 10 min: to the begin or end of an answer */

struct buckets {
	const struct bounds *bounds;
	atomic_uint_fast64_t counts[BUCKETS_LIMIT + 1]; /* the last: above all bounds */
	atomic_uint_fast64_t sum;                       /* us */
};

static inline void buckets_add(struct buckets *b, uint64_t us)
{
	const struct bounds *bounds = b->bounds;
	size_t i = 0;
	while (i < bounds->n && us > bounds->us[i]) {
		i++;
	}
	atomic_fetch_add_explicit(&b->counts[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&b->sum, us, memory_order_relaxed);
}

/* A snapshot at about one time. counts[i]: values up to the i-th bound; counts[bounds->n]: all. */
struct buckets_figures {
	uint64_t counts[BUCKETS_LIMIT + 1];
	uint64_t sum; /* us */
};
void buckets_figures(const struct buckets *b, struct buckets_figures *ret);
