#pragma once
/*
 * capture_meta - who wrote a capture's segments, and how they were configured.
 */
#include "capture/capture.h"

/* The meta row of segment number i, oldest first within its directory. -ENOENT: there are no more;
 * another error: it can't be read. */
int capture_meta(struct capture *c, size_t i, struct meta_row *ret) MUST_CHECK;
/* The key of the capture's prompt hashes; false: the directory is no capture. */
bool capture_hash_key(const char *dir, uint8_t ret[32]) MUST_CHECK;
