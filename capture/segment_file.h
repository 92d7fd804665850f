#pragma once
/*
 * segment_file - the files around a segment's LMDB file. Internal to the segment module and to
 * marker.c.
 */
#include "base/check.h"
#include "base/id.h"

/* creates the file with mode 0600, whatever the umask */
int segment_make_file(const char *path, int *ret_fd) MUST_CHECK;
int segment_sync_dir(const char *dir) MUST_CHECK;
/* removes them even if the segment is in use */
int segment_remove_files(const char *dir, struct id id);
