#pragma once
/*
 * atomic_directory - creates a directory completely or not at all.
 *
 * The directory is written as PLACE.unfinished, the draft, and then renamed to PLACE. If a crash
 * left PLACE.unfinished, the next draft for PLACE fails. Functions that return char * return NULL,
 * or a sentence about the problem.
 *
 *	atomic_directory_begin()       for a new directory; then fill it at `path`, and call
 *	                               atomic_directory_keep() or atomic_directory_drop()
 *	atomic_directory_begin_over()  for one that exists; then fill it at `path`, and call
 *	                               atomic_directory_exchange() and atomic_directory_drop()
 */
#include <stdbool.h>

#include "base/mem.h"

struct atomic_directory {
	char *place;
	char *path; /* where it is written: PLACE.unfinished */
	/* atomic_directory_drop() must not delete `path`, which may be the only complete copy */
	bool stays;
};

/* Begins a draft; the caller then creates the directory at d->path. After a problem, d needs no
 * other call. */
char *atomic_directory_begin(struct atomic_directory *d, const char *place) MUST_CHECK;
/* As atomic_directory_begin(), for a draft that will replace an existing directory. If place is a
 * symbolic link, the directory is the link's target. */
char *atomic_directory_begin_over(struct atomic_directory *d, const char *place) MUST_CHECK;
/* Copies the file dir/name to d->path/name. */
char *atomic_directory_copy(
        const struct atomic_directory *d, const char *dir, const char *name) MUST_CHECK;
/* Copies one file to another path, and writes it to the disk. Returns 0 or a negative errno. */
int atomic_directory_copy_file(const char *from, const char *to) MUST_CHECK;
/* Exchanges the directories at d->path and d->place atomically, and syncs this to the disk. The old
 * directory is then at d->path: atomic_directory_drop() deletes it, a second call puts it back.
 * After a problem, both are where they were. If they could not be moved back, the new directory is
 * at d->place, and `stays` is set. */
char *atomic_directory_exchange(struct atomic_directory *d) MUST_CHECK;
/* Renames the draft to its place, and syncs this to the disk. After a problem, the draft was
 * deleted; or, if the problem came after the rename, the directory is at its place, but a crash may
 * lose it. Ends the draft in all cases. */
char *atomic_directory_keep(struct atomic_directory *d) MUST_CHECK;
/* Deletes d->path with its files, unless `stays` is set. Ends the draft. */
void atomic_directory_drop(struct atomic_directory *d);
