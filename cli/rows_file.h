#pragma once
/*
 * rows_file - reads files that plumbline pairs wrote.
 */
#include "analyzer/part_set.h"

/* Adds the rows of all files, in any order, to *to; "-" is standard input. partial: parts of the
 * capture may be missing. Returns NULL, or a sentence that begins with FILE:LINE, which the
 * caller frees. */
char *rows_file_read_all(
        const char *const *paths, size_t n, bool partial, struct part_set *to) MUST_CHECK;
