#pragma once
/*
 * regions - how much of a mapped file may be resident for what was looked at. What is in the page cache costs
 * nobody memory, but as long as it is mapped it looks like this process's, and counts as such where memory
 * is limited. So whoever looks at a file piece by piece lets the pieces go from time to time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel maps what lies around a page that is asked for: up to so much, if the page cache holds it as one. */
#define REGION_SHIFT 21
#define REGIONS_LIMIT 16

struct regions { /* zero-initialised is empty */
	uintptr_t items[REGIONS_LIMIT];
	size_t n;
};

static inline bool regions_add(struct regions *r, uintptr_t region)
{
	for (size_t i = r->n; i-- > 0;) {
		if (r->items[i] == region) {
			return true;
		}
	}
	if (r->n == REGIONS_LIMIT) {
		return false;
	}
	r->items[r->n++] = region;
	return true;
}

/* Bytes that are looked at. False: with them it is too much, so all is to be let go; none is counted then. */
static inline bool regions_touch(struct regions *r, const void *data, size_t len)
{
	uintptr_t from = (uintptr_t)data >> REGION_SHIFT;
	uintptr_t last = ((uintptr_t)data + (len ? len - 1 : 0)) >> REGION_SHIFT;
	for (uintptr_t region = from; region <= last; region++) {
		if (!regions_add(r, region)) {
			r->n = 0;
			return false;
		}
	}
	return true;
}
