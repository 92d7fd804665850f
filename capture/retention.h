#pragma once
/*
 * retention - measures a capture's size on disk, and deletes its oldest segments by size or age.
 * Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/id.h"

/* A segment that may be deleted. */
struct retention_segment {
	struct id id;
	uint64_t bytes;
	uint64_t written_ns; /* wall clock of the last write */
};

/* Lists the segments of a capture, oldest first; the caller frees *ret. Returns 0 or a negative
 * errno. */
int retention_list(const char *dir, struct retention_segment **ret, size_t *ret_n) MUST_CHECK;

/* Deletes segments without a writer, last written before wall_ns. Returns their number. */
size_t retention_drop_before(const char *dir, uint64_t wall_ns);

/* The bytes of all segments except one (a zero id: none). 0: the directory cannot be read. */
uint64_t retention_size(const char *dir, struct id except);

/* Deletes the oldest segment that has no writer and can be deleted; *ret_freed: its bytes. False:
 * there is none. */
bool retention_drop_oldest(const char *dir, uint64_t *ret_freed);
