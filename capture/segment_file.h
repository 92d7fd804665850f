#pragma once
/*
 * segment_file - the files around a segment's LMDB file. For segment*.c, seal.c and marker.c only.
 * Functions return 0 or a negative errno.
 */
#include "base/buf.h"
#include "base/id.h"

/* Creates a new file with mode 0600, whatever the umask; the caller closes *ret_fd. */
int segment_make_file(const char *path, int *ret_fd) MUST_CHECK;
/* As segment_make_file(), and writes the text to the disk. After an error the file is removed. */
int segment_write_file(const char *path, struct span text) MUST_CHECK;
int segment_sync_dir(const char *dir) MUST_CHECK;
/* Removes a segment's files, even if it is in use. -ENOENT: there was no ID.seg. */
int segment_remove_files(const char *dir, struct id id);
