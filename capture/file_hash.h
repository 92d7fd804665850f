#pragma once
/*
 * file_hash - the checksum of a whole file, as a seal tells it (XXH3, 64 bits).
 *
 * Of a file that nobody writes to any more.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* Is shown the file in its order, a stretch at a time, while it is at hand. */
typedef void (*file_look_fn)(void *arg, uint64_t at, const char *bytes, size_t n);

/* 0 or a negative errno. look: or NULL. */
int file_hash(const char *path, file_look_fn look, void *arg, uint64_t *ret_hash,
        uint64_t *ret_size) MUST_CHECK;
