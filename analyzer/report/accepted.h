#pragma once
/*
 * accepted - differences that a person looked at and accepted: their file, and the member
 * "accepted" of a document, which excuses a verdict or a failing rule (docs/policy.md).
 *
 * The file is JSON: {"plumbline_accepted": 1, "accepted": {KEY: reason, ...}}.
 * analyzer/greedy_differences.h defines the keys; a reason is a text and may be empty.
 */
#include <jansson.h>

#include "base/buf.h"

/* The contents of a file without entries; a new reference. */
json_t *accepted_new(void);
/* Reads a file. NULL: *ret_error is a sentence with the file's name and the place in it, which
 * the caller frees. */
json_t *accepted_load(const char *path, char **ret_error) MUST_CHECK;
/* Adds the differences that `accepted` does not have, each with this reason (UTF-8). Returns
 * their number. */
size_t accepted_add(json_t *accepted, const json_t *differences, const char *reason);

/* Sets "accepted" of the document and of its exhibits. differences: an object with their keys;
 * without_key: the number of further ones, which can't be accepted. */
void accepted_check(const json_t *accepted, const char *file, const json_t *differences,
        uint64_t without_key, json_t *document);

/* The following functions read "accepted" of a document, which is not trusted. */

/* True if there are differences and all are accepted. */
bool accepted_all(const json_t *document);
/* True if a verdict other than SAME does not fail the command: all differences are accepted, and
 * neither sampled answers nor draws nor scores show that the two sides differ. */
bool accepted_excuses_verdict(const json_t *document);
/* Appends "39 of 40 differences are accepted (accepted.json). ..." */
void accepted_words(const json_t *document, struct buf *to);
