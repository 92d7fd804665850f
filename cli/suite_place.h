#pragma once
/*
 * suite_place - finds the file of a suite by the suite's name.
 *
 * Looks for NAME.jsonl in configs/suites of the current directory, then (if the program runs from a
 * build tree) in configs/suites of its sources, then where the installation put the suites. Names
 * of infer-check's suites mean plumbline's suites of the same kind.
 */
#include <glob.h>
#include <stdbool.h>

#include "base/buf.h"

/* Sets *ret to the file's path, which the caller frees. False: there is no such suite. */
bool suite_place_find(const char *name, char **ret) MUST_CHECK;
/* Lists the paths of all suites, in the order of the places above. The caller calls globfree()
 * in any case. */
void suite_place_list(glob_t *ret);
char *suite_place_name(const char *path); /* the suite's name; the caller frees it */
/* The suite's name that an unknown word probably means, or NULL; the caller frees it. */
char *suite_place_nearest(const char *word);
/* Appends the searched places as text, for an error message. */
void suite_place_put(struct buf *to);
