#pragma once
/*
 * capture_meta - the meta rows of a capture's segments: which process wrote them, with which
 * configuration.
 */
#include "capture/capture.h"

/* The meta row number i (from 0) of the capture. Order: directories as they were opened; in each,
 * segments from the oldest to the newest; of each segment its own row, then the rows of those
 * segments that a compaction joined into it. -ENOENT: there are no more rows. Another negative
 * errno: row i is unreadable; a segment or table that cannot be read (on) counts as one row. Free
 * *ret with meta_row_finish(). */
int capture_meta(struct capture *c, size_t i, struct meta_row *ret) MUST_CHECK;
/* Prefix of the keys of joined segments' meta rows; the id in 32 hex digits follows. */
#define META_JOINED "joined/"
void meta_joined_key(struct buf *to, struct id segment); /* to is cleared first */
/* The key of the capture's prompt hashes. False: dir is no capture, or its marker is unreadable. */
bool capture_hash_key(const char *dir, uint8_t ret[32]) MUST_CHECK;
