#pragma once
/*
 * saved - an analysis read from a file, which anybody may have written.
 *
 * What is returned is an object that says it is an analysis of a version that is known and has groups; all else about it
 * must be doubted, as report/node.h does.
 */
#include <jansson.h>

#include "base/buf.h"

/* path "-": standard input. NULL: *ret_error is a sentence with the file's name, the caller frees it. */
json_t *saved_load(const char *path, char **ret_error) MUST_CHECK;
json_t *saved_parse(const char *name, struct span text, char **ret_error) MUST_CHECK;
