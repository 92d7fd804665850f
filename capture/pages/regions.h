#pragma once
/*
 * regions - limits how much of a mapped file is in this process's memory. Pages in the page cache
 * cost no memory, but while they are mapped they count as this process's, also against memory
 * limits. So a reader unmaps them from time to time. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The log2 of a region's size. When a page is read, the kernel may map the pages around it, up
 * to this size. */
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

/* Counts the regions of bytes that are read. False: there are more than REGIONS_LIMIT, so the
 * caller must unmap everything; the count begins anew. */
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
