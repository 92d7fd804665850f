#pragma once
/*
 * plain_file - opens a file that is read several times. It refuses pipes and compressed files, with
 * a sentence that says what they are.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/check.h"

/* Returns NULL, and in *ret_error a sentence that begins with the path and that the caller
 * frees. */
FILE *plain_file_open(const char *path, char **ret_error) MUST_CHECK;

/* Facts from the name and the modification time of a file. */

/* The part of a path after the last slash; the whole path if it has none. */
struct span file_name(struct span path);
/*
 * The time of a file in nanoseconds since 1970: from its name, or else its modification time, or
 * else now. A trace whose times count from 0 begins at this time.
 */
uint64_t file_time(struct span path, FILE *file);
