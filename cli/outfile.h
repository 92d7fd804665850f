#pragma once
/*
 * outfile - could a file be written where somebody wants it? Asked before the work whose outcome it is to hold.
 *
 * made: a directory that will be there by then, or NULL.
 */
#include "base/check.h"

/* Over what is there. 0, or -errno. */
int outfile_check(const char *path, const char *made) MUST_CHECK;
/* The same, of one that is written beside its place and moved there. */
int outfile_check_moved(const char *path, const char *made) MUST_CHECK;
