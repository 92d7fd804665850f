#pragma once
/*
 * atomic_directory - creates a directory completely or not at all.
 *
 * The directory is written as PLACE.unfinished and then renamed to PLACE. If a crash left such a
 * directory, the next draft for PLACE reports it. Functions that return a char * return NULL, or a
 * sentence about a problem, which the caller frees.
 */
#include <stdbool.h>

#include "base/mem.h"

struct atomic_directory {
	char *place;
	char *path; /* where it is written: PLACE.unfinished */
	/* true: atomic_directory_drop() must not delete it, because it may be the only complete
	 * copy */
	bool stays;
};

/* Begins a draft. The caller then creates the directory at d->path. After a problem nothing
 * needs to be ended. */
char *atomic_directory_begin(struct atomic_directory *d, const char *place) MUST_CHECK;
/* Begins a draft that will replace an existing directory by atomic_directory_exchange(). If place
 * is a link, the draft is beside the link's target. */
char *atomic_directory_begin_over(struct atomic_directory *d, const char *place) MUST_CHECK;
/* Copies the file dir/name into the draft. */
char *atomic_directory_copy(
        const struct atomic_directory *d, const char *dir, const char *name) MUST_CHECK;
/* Copies one file to another path. Returns 0 or a negative errno. */
int atomic_directory_copy_file(const char *from, const char *to) MUST_CHECK;
/* Lets the draft and the directory at its place change places atomically; a second call undoes
 * it. atomic_directory_drop() then deletes the one that is not at the place. After a problem both
 * are where they were; if that was impossible, `stays` is set. */
char *atomic_directory_exchange(struct atomic_directory *d) MUST_CHECK;
/* Moves the draft to its place; a crash after that loses nothing. After a problem the draft was
 * deleted. */
char *atomic_directory_keep(struct atomic_directory *d) MUST_CHECK;
/* Deletes the draft, unless `stays` is set. */
void atomic_directory_drop(struct atomic_directory *d);
