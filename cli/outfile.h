#pragma once
/*
 * outfile - checks before long work whether its output file can be written, and writes one.
 *
 * made: a directory that will exist by then, or NULL.
 */
#include <sys/types.h>

#include "base/buf.h"

/* For a file that is overwritten. Returns NULL, or "--out x.csv can't be written: ..."; the caller
 * frees it. */
char *outfile_check(const char *option, const char *path, const char *made) MUST_CHECK;
/* The same for a file that is written under another name and renamed. */
char *outfile_check_moved(const char *option, const char *path, const char *made) MUST_CHECK;
/* For a directory that is created unless it exists; made itself gives -ENOTEMPTY. Returns 0 or
 * -errno. */
int outfile_check_directory(const char *path, const char *made) MUST_CHECK;
/* Writes or overwrites a file. Returns 0 or -errno. */
int outfile_write(const char *path, mode_t mode, struct span text) MUST_CHECK;
