#pragma once
/*
 * buckets - counts of durations between fixed bounds, for Prometheus histograms. (base/histogram.h
 * is exact to a thousandth of each value, and is for one thread.)
 *
 * Values are microseconds. Adding a value takes a few instructions. Any thread; lock-free. Set the
 * member bounds before use; all other members begin as zero.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define BUCKETS_LIMIT 18

struct bounds {
	size_t n;                   /* at most BUCKETS_LIMIT */
	uint64_t us[BUCKETS_LIMIT]; /* ascending; a value that equals a bound is within it */
};

/* 50 us to 1 s: the latency that the proxy adds to an answer */
extern const struct bounds BOUNDS_ADDED;
extern const struct bounds BOUNDS_COMMIT; /* 1 ms to 10 s: commits to a disk */
extern const struct bounds BOUNDS_GAP;    /* 1 ms to 2.5 s: the gap between two tokens */
/* 5 ms to 10 min: the time to the beginning or end of an answer */
extern const struct bounds BOUNDS_ANSWER;

struct buckets {
	const struct bounds *bounds;
	/* counts[i]: above bound i - 1, up to bound i; counts[bounds->n]: above all bounds */
	atomic_uint_fast64_t counts[BUCKETS_LIMIT + 1];
	atomic_uint_fast64_t sum; /* us */
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

/* A copy with cumulative counts: counts[i] has the values up to bound i, counts[bounds->n] all.
 * A value that is added meanwhile may be in the counts and not in the sum, or the reverse. */
struct buckets_figures {
	uint64_t counts[BUCKETS_LIMIT + 1];
	uint64_t sum; /* us */
};
void buckets_figures(const struct buckets *b, struct buckets_figures *ret);
