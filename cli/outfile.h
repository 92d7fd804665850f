#pragma once
/*
 * outfile - checks before long work whether its output file can be written.
 *
 * made: a directory that will exist by then, or NULL.
 */
#include "base/check.h"

/* For a file that is overwritten. Returns 0 or -errno. */
int outfile_check(const char *path, const char *made) MUST_CHECK;
/* For a file that is written under another name and renamed. */
int outfile_check_moved(const char *path, const char *made) MUST_CHECK;
/* For a directory that is created unless it exists; made itself gives -ENOTEMPTY. */
int outfile_check_directory(const char *path, const char *made) MUST_CHECK;
