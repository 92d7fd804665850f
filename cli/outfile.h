#pragma once
/*
 * outfile - writes a command's output file, and checks before the command's long work whether the
 * file can be written.
 *
 * A file is written beside its path, as PATH.PID, and renamed when it is complete. So an older file
 * stays until then, and no half-written file is left, even if SIGHUP, SIGINT or SIGTERM ends the
 * process. What is no regular file, such as /dev/stdout or a link, is written in place. One file at
 * a time.
 *
 * Parameters of the functions:
 *
 *	option  name of the option that gave the path, without dashes, for the sentence
 *	made    a directory that the command will create before it writes the file, or NULL
 */
#include <stdio.h>
#include <sys/types.h>

#include "base/buf.h"

/* Names the files that the command reads: outfile_check() refuses to replace them. The list must
 * outlive all calls of it. */
void outfile_protect(const char *const *paths, size_t n);
/* Returns NULL, or a sentence such as "--out x.csv can't be written: ...". */
char *outfile_check(const char *option, const char *path, const char *made) MUST_CHECK;
/* For a directory, which may be absent. Returns 0 or -errno; -ENOTEMPTY: it is `made`. */
int outfile_check_directory(const char *path, const char *made) MUST_CHECK;

struct outfile {
	FILE *to;
	const char *path;
	char *fresh; /* the file that is written */
};

/* mode: permissions of a new file. path must outlive outfile_end(). Returns 0; or -errno, and
 * outfile_end() must not be called. */
int outfile_begin(struct outfile *f, const char *path, mode_t mode) MUST_CHECK;
/* Puts the file in its place. Returns 0, or -errno if any write failed; the path is then as it was
 * before, unless it was written in place. */
int outfile_end(struct outfile *f) MUST_CHECK;
int outfile_write(const char *path, mode_t mode, struct span text) MUST_CHECK; /* all at once */
