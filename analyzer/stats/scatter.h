#pragma once
/*
 * scatter - a bounded sample of points with their exchanges: those whose keys have the smallest
 * hashes, so that the order of adding does not matter. One thread a scatter.
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

struct scatter {                      /* zero-initialised is empty */
	uint64_t n;                   /* all points */
	struct scatter_point *points; /* by hash */
	size_t kept;                  /* SCATTER_SIZE at most */
};

/* point->hash is set from key: the same one in every run. */
void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point);
void scatter_finish(struct scatter *s);
