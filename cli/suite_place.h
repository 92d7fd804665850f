#pragma once
/*
 * suite_place - finds a suite by its name.
 *
 * Searches NAME.jsonl in configs/suites of the current directory, then in that of the sources if
 * the program runs from their build tree, then where the installation put the suites. Names of
 * infer-check's suites mean plumbline's suites of the same kind.
 */
#include <glob.h>
#include <stdbool.h>

#include "base/buf.h"

/* *ret: its path; the caller frees it. False: not found. */
bool suite_place_find(const char *name, char **ret) MUST_CHECK;
/* All suites, in the order of places; call globfree() in any case. */
void suite_place_list(glob_t *ret);
char *suite_place_name(const char *path); /* of one of these; the caller frees it */
/* The name that was probably meant, or NULL; the caller frees it. */
char *suite_place_nearest(const char *word);
/* Appends the searched places as text, for an error message. */
void suite_place_put(struct buf *to);
