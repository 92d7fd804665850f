#pragma once
/*
 * plain_file - opens a file that is read several times. It refuses pipes and compressed files, with
 * a sentence that says what they are.
 */
#include <stdio.h>

#include "base/check.h"

/* Opens it for reading; the caller closes it. On error returns NULL, and in *ret_error a sentence
 * that begins with the path and that the caller frees. */
FILE *plain_file_open(const char *path, char **ret_error) MUST_CHECK;
