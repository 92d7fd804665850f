#pragma once
/*
 * charts - the points of a report's charts, for the pairs of one group and one decoding: differing
 * answers over time; the gaps of both sides at first differences (first_difference_kind.h); the
 * lengths of both answers. Memory is limited.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/timeline.h"
#include "base/id.h"

/*
 * A sample of points with their exchanges: the SCATTER_SIZE points whose keys have the smallest
 * hashes. The sample is the same in whatever order points are added.
 */
#define SCATTER_SIZE 400

struct scatter_point {
	uint64_t hash;
	struct id exchange;
	float x, y;
	uint32_t marks; /* defined by the caller */
};

struct scatter {                      /* zero-initialised: empty */
	uint64_t n;                   /* number of points added */
	struct scatter_point *points; /* ordered by hash */
	size_t kept;                  /* number of points kept, at most SCATTER_SIZE */
};

/* Adds a point, whose member `hash` the function sets from the key. key: identifies the point, and
 * is the same in every run. */
void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point);
void scatter_finish(struct scatter *s);

#define CHARTS_TIME_BINS 96

enum chart_mark {
	CHART_DIFFER = 1 << 0,  /* the answers differ */
	CHART_CHANGED = 1 << 1, /* the meaning changed */
	/* `gaps` only: this side's gap is a lower bound, since its list lacks the other side's
	 * token */
	CHART_BASE_CENSORED = 1 << 2,
	CHART_TEST_CENSORED = 1 << 3,
	/* `lengths` only: this side's answer ended by itself: end_token_is_in() */
	CHART_BASE_ENDED = 1 << 4,
	CHART_TEST_ENDED = 1 << 5,
};

struct charts {                   /* zero-initialised: empty */
	struct timeline timeline; /* answers by the start of the test's leg, unit: seconds */
	struct scatter gaps;      /* first differences: x: the base's gap, y: the test's; nats */
	struct scatter lengths;   /* x: the base's tokens, y: the test's */
};

/* Adds a pair: to the timeline; to `gaps` if its first difference is known and both gaps are
 * finite; to `lengths` if both sides state their numbers of tokens. */
void charts_add(struct charts *c, const struct pair_row *row, const struct pair_facts *facts);
/* Subtracts 1, the end token, from the lengths of the side that alone counts this token (`end`), if
 * the answer ended by itself. END_TOKEN_ALIKE: does nothing. Call once, after the last pair. */
void charts_subtract_end_token(struct charts *c, enum end_token end);
void charts_finish(struct charts *c);

/* The verdict of first_judge() (first_difference_kind.h) on a point of `gaps`. */
enum first_verdict charts_verdict(const struct scatter_point *gap, const struct first_scale *scale);
