#pragma once
/*
 * retention - what a capture weighs on disk, and making room, or forgetting, by deleting its oldest
 * segments. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/id.h"

/* A segment as far as deleting it goes. */
struct retention_segment {
	struct id id;
	uint64_t bytes;
	uint64_t written_ns; /* wall; when something was last written into it */
};

/* All of a capture, oldest first; the caller frees *ret. 0 or a negative errno. */
int retention_list(const char *dir, struct retention_segment **ret, size_t *ret_n) MUST_CHECK;

/* Deletes what no writer holds and nobody has written into since wall_ns. How many. */
size_t retention_drop_before(const char *dir, uint64_t wall_ns);

/* Bytes of all segments but the one. 0 when the directory can't be read. */
uint64_t retention_weigh(const char *dir, struct id except);

/* Deletes the oldest segment that no writer holds. False: there is none, or it can't be deleted. */
bool retention_drop_oldest(const char *dir, uint64_t *ret_freed);
