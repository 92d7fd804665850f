#pragma once
/*
 * capture_meta - who wrote a capture's segments, and how they were configured.
 */
#include "capture/capture.h"

/* Meta row number i: of each segment, oldest first within its directory, its own and those of the segments that were
 * joined into it. -ENOENT: there are no more;
 * another error: it can't be read. */
int capture_meta(struct capture *c, size_t i, struct meta_row *ret) MUST_CHECK;
/* Where a segment keeps the meta rows of those that were joined into it: this, then the id in 32 hex digits. */
#define META_JOINED "joined/"
bool meta_is_joined(struct span key);
void meta_joined_key(struct buf *to, struct id segment); /* to is cleared first */
/* The key of the capture's prompt hashes; false: the directory is no capture. */
bool capture_hash_key(const char *dir, uint8_t ret[32]) MUST_CHECK;
