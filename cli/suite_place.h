#pragma once
/*
 * suite_place - where a suite lies that is called by its name.
 *
 * Looked for as NAME.jsonl in configs/suites of the current directory, then in that of the sources from whose build tree this
 * program is run, then where an installation put the suites. infer-check's names of its suites mean ours of the same kind.
 */
#include <glob.h>
#include <stdbool.h>

#include "base/buf.h"

/* *ret (the caller frees it): its path. False: it is in none of the places. */
bool suite_place_find(const char *name, char **ret) MUST_CHECK;
/* All suites, in the order of the places; globfree() in any case. */
void suite_place_list(glob_t *ret);
char *suite_place_name(const char *path); /* of one of these; the caller frees it */
/* The name that may have been meant, or NULL; the caller frees it. */
char *suite_place_nearest(const char *word);
/* Appends the places in their order, as one text for who reads what was not found. */
void suite_place_put(struct buf *to);
