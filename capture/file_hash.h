#pragma once
/*
 * file_hash - the checksum of a whole file, as in a seal (XXH3, 64 bits).
 *
 * The file must no longer be written to.
 */
#include <stdint.h>

#include "base/check.h"

/* Returns 0 or a negative errno. */
int file_hash(const char *path, uint64_t *ret_hash, uint64_t *ret_size) MUST_CHECK;
