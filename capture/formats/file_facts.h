#pragma once
/*
 * file_facts - facts from the name and date of a file.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* The part of a path after the last slash; all of it if there is none. */
struct span file_name(struct span path);
/*
 * The time of the file in nanoseconds since 1970: from its name, else its date, else now. A trace
 * whose times count from 0 is taken to begin at this time.
 */
uint64_t file_time(struct span path, FILE *file);
