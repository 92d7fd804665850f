#pragma once
/*
 * plain_file - opens a file that is read several times.
 *
 * Pipes and compressed files are refused, with a sentence that says what they are.
 */
#include <stdio.h>

#include "base/check.h"

/* Returns NULL and a sentence that begins with the path; the caller frees it. */
FILE *plain_file_open(const char *path, char **ret_error) MUST_CHECK;
