#pragma once
/*
 * file_hash - the checksum of a whole file, as a seal tells it (XXH3, 64 bits).
 *
 * Of a file that nobody writes to any more.
 */
#include <stdint.h>

#include "base/check.h"

/* 0 or a negative errno. */
int file_hash(const char *path, uint64_t *ret_hash, uint64_t *ret_size) MUST_CHECK;
