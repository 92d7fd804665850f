#pragma once
/*
 * draft - a directory that appears at its place when it is whole, or not at all.
 *
 * It is written beside its place, at PLACE.unfinished, and renamed. What a crash leaves there is said by the next
 * draft for that place, and nobody takes it for the real thing. Problems are sentences on the heap; NULL is none.
 */
#include <stdbool.h>

#include "base/mem.h"

struct draft {
	char *place;
	char *path; /* where it is written */
	bool stays; /* draft_drop() deletes nothing: what is at path has no other copy that is known to be whole */
};

/* Nothing is made: whoever writes makes the directory. With a problem there is nothing to end. */
char *draft_begin(struct draft *d, const char *place) MUST_CHECK;
/* One that is to take the place of a directory that is there: draft_exchange() instead of draft_keep(). Through a
 * link it is the directory that the link leads to, and the draft is written beside that. */
char *draft_begin_over(struct draft *d, const char *place) MUST_CHECK;
/* Copies a plain file of another directory into it, byte for byte. */
char *draft_copy(const struct draft *d, const char *dir, const char *name) MUST_CHECK;
/* The same by whole paths: 0 or a negative errno. */
int draft_copy_file(const char *from, const char *to) MUST_CHECK;
/* The draft and what is at its place change places in one step; done again they change back. Then draft_drop()
 * deletes what is not at its place. With a problem both are where they were; or, if not even that could be done, the
 * draft stays. */
char *draft_exchange(struct draft *d) MUST_CHECK;
/* Ends it, with all that is in it, at its place; a crash after this loses nothing. With a problem it is dropped. */
char *draft_keep(struct draft *d) MUST_CHECK;
/* Ends it: what was written is deleted, unless it stays. */
void draft_drop(struct draft *d);
