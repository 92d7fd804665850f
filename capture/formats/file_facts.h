#pragma once
/*
 * file_facts - what a foreign file tells by its name and its date.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

/* Of a path what follows the last slash; all of it if there is none. */
struct span file_name(struct span path);
/*
 * When the file was made, nanoseconds since 1970: as its name says, else as its date does, else now. It stands for
 * the beginning of a trace that counts from 0.
 */
uint64_t file_time(struct span path, FILE *file);
