#pragma once
/*
 * scatter - a sample of at most SCATTER_SIZE points with their exchanges: those whose keys have the
 * smallest hashes, so that the order of adding does not matter. One thread at a time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

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

/* key: identifies the point, the same in every run; scatter_add() sets point.hash from it. */
void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point);
void scatter_finish(struct scatter *s);
