#pragma once
/*
 * rows_file - the files that plumbline pairs writes, read back.
 */
#include "analyzer/part_set.h"

/* All of them, in any order; "-" is standard input. NULL, or a sentence that begins with
 * FILE:LINE; the caller frees it. */
char *rows_file_read_all(
        const char *const *paths, size_t n, bool partial, struct part_set *to) MUST_CHECK;
