#pragma once
/*
 * outfile - checks before long work whether its output file can be written; writes a file.
 *
 *	option  name of the option that gave the path, for the sentence
 *	made    a directory that the command will have created by then, or NULL
 */
#include <sys/types.h>

#include "base/buf.h"

/* For a file that outfile_write() will write. Returns NULL, or a sentence such as "--out x.csv
 * can't be written: ...", which the caller frees. */
char *outfile_check(const char *option, const char *path, const char *made) MUST_CHECK;
/* For a file that will be written under another name in the same directory and then renamed.
 * Returns the same. */
char *outfile_check_moved(const char *option, const char *path, const char *made) MUST_CHECK;
/* For a directory that will be created unless it exists. Returns 0 or -errno; -ENOTEMPTY if path
 * is `made`. */
int outfile_check_directory(const char *path, const char *made) MUST_CHECK;
/* Writes or overwrites a file. mode: of a new file. Returns 0 or -errno. */
int outfile_write(const char *path, mode_t mode, struct span text) MUST_CHECK;
