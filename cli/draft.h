#pragma once
/*
 * draft - creates a directory completely or not at all.
 *
 * It is written to PLACE.unfinished and then renamed. The next draft for the same place reports
 * what a crash left there. Problems are sentences on the heap; NULL: none.
 */
#include <stdbool.h>

#include "base/mem.h"

struct draft {
	char *place;
	char *path; /* where it is being written */
	bool stays; /* draft_drop() must not delete it: it may be the only complete copy */
};

/* Creates nothing; the writer creates the directory. After a problem there is nothing to end. */
char *draft_begin(struct draft *d, const char *place) MUST_CHECK;
/* For a draft that replaces an existing directory by draft_exchange(). A link is followed, and the
 * draft is written beside its target. */
char *draft_begin_over(struct draft *d, const char *place) MUST_CHECK;
/* Copies a file of another directory into it. */
char *draft_copy(const struct draft *d, const char *dir, const char *name) MUST_CHECK;
/* Copies a file by paths. Returns 0 or a negative errno. */
int draft_copy_file(const char *from, const char *to) MUST_CHECK;
/* Exchanges the draft and the directory at its place atomically; a second call undoes it. Then
 * draft_drop() deletes the one that is not at the place. After a problem both are where they were;
 * if even that failed, the draft stays. */
char *draft_exchange(struct draft *d) MUST_CHECK;
/* Moves the draft to its place; a crash after this loses nothing. After a problem it is dropped. */
char *draft_keep(struct draft *d) MUST_CHECK;
/* Deletes the draft, unless it stays. */
void draft_drop(struct draft *d);
