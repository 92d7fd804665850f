#pragma once
/*
 * scatter - a bounded sample of points, each with its exchange: those with the smallest hashes of
 * their keys, so that neither the order of adding nor who added matters. One thread a scatter.
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
	uint32_t marks; /* whoever adds points says what they mean */
};

struct scatter {                      /* zero-initialised is empty */
	uint64_t n;                   /* points that came */
	struct scatter_point *points; /* by hash */
	size_t kept;                  /* SCATTER_SIZE at most */
};

/* point->hash is set from key: the same one in every run. */
void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point);
void scatter_finish(struct scatter *s);
