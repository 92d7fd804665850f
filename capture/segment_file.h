#pragma once
/*
 * segment_file - the files around a segment's LMDB file. Internal to the segment module and to
 * marker.c.
 */
#include "base/check.h"
#include "base/id.h"

int segment_make_file(const char *path, int *ret_fd) MUST_CHECK; /* new, 0600 under any umask */
int segment_sync_dir(const char *dir) MUST_CHECK;
int segment_remove_files(const char *dir, struct id id); /* even if it is in use */
