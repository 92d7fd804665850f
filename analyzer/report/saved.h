#pragma once
/*
 * saved - reads a saved analysis from a file, which is not trusted: at most 128 MiB.
 *
 * The result is an object that states a known version of an analysis and has groups. Users paste
 * commands (members `command` and `confirm`), so those that plumbline does not write become null.
 * Nothing else is checked: read the result with report/node.h.
 */
#include <jansson.h>

#include "base/buf.h"

#define ANALYSIS_VERSION 2 /* the member plumbline_analysis of the document */

/* Read and check an analysis; a new reference. saved_load() reads a file; path "-": standard input.
 * saved_parse() reads a text; name: for the error. NULL: *ret_error is a sentence with the file's
 * name; the caller frees it. */
json_t *saved_load(const char *path, char **ret_error) MUST_CHECK;
json_t *saved_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
/* Returns NULL, or what is wrong with a document, in words; saved_load_checked() frees the text. */
typedef char *(*saved_doubt_fn)(const json_t *o);
/* Like saved_load(), for another kind of JSON file of plumbline: doubt_of() checks the document.
 * Commands in the document are not removed. */
json_t *saved_load_checked(const char *path, saved_doubt_fn doubt_of, char **ret_error) MUST_CHECK;
