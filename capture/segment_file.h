#pragma once
/*
 * segment_file - the files around a segment's LMDB file. For segment*.c, seal.c and marker.c only.
 * Functions return 0 or a negative errno.
 */
#include "base/buf.h"
#include "base/id.h"

/* creates the file with mode 0600, whatever the umask */
int segment_make_file(const char *path, int *ret_fd) MUST_CHECK;
/* As segment_make_file(), and writes the text to the disk. After an error there is no file. */
int segment_write_file(const char *path, struct span text) MUST_CHECK;
int segment_sync_dir(const char *dir) MUST_CHECK;
/* removes them even if the segment is in use */
int segment_remove_files(const char *dir, struct id id);
