#pragma once
/*
 * suite_place - finds the file of a suite by the suite's name.
 *
 * Looks for NAME.jsonl in these places:
 *
 *	1. configs/suites of the current directory
 *	2. configs/suites of the program's sources, if it runs from a build tree
 *	3. the directory of suites of the installation
 *
 * infer-check's spellings of a name find the suite, too.
 */
#include <glob.h>
#include <stdbool.h>

#include "base/buf.h"

/* Finds the file's path, which the caller frees. False: no suite has the name, or it has a "/". */
bool suite_place_find(const char *name, char **ret) MUST_CHECK;
/* Lists the paths of all suites, in the order of the places above; a suite may be in several. The
 * caller calls globfree() in any case. */
void suite_place_list(glob_t *ret);
/* The suite's name in a path of suite_place_list(); the caller frees it. */
char *suite_place_name(const char *path);
/* The suite's name that an unknown word probably means, or NULL; the caller frees it. */
char *suite_place_nearest(const char *word);
/* Appends the searched places as text, for an error message. */
void suite_place_put(struct buf *to);
