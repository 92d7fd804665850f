#pragma once
/*
 * rows_file - reads files that plumbline pairs wrote.
 */
#include "analyzer/part_set.h"

/* Reads all files, in any order; "-" is standard input. Returns NULL, or a sentence that begins
 * with FILE:LINE; the caller frees it. */
char *rows_file_read_all(
        const char *const *paths, size_t n, bool partial, struct part_set *to) MUST_CHECK;
