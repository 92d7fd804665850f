#pragma once
/*
 * plain_file - a file that is read several times over: looked at, read, and in places once more.
 *
 * So a pipe will not do, nor anything compressed; each is told by what it is.
 */
#include <stdio.h>

#include "base/check.h"

/* NULL and a sentence that begins with the path (the caller frees it). */
FILE *plain_file_open(const char *path, char **ret_error) MUST_CHECK;
