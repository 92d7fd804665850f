#pragma once
/*
 * file_facts - facts from the name and the modification time of a file.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* The part of a path after the last slash; the whole path if it has none. */
struct span file_name(struct span path);
/*
 * The time of a file in nanoseconds since 1970: the first date with seconds in its name
 * (moment_find()), or else its modification time in whole seconds, or else now. A trace whose times
 * count from 0 begins at this time.
 */
uint64_t file_time(struct span path, FILE *file);
