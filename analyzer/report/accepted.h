#pragma once
/*
 * accepted - differences that a person looked at and accepted: their file, and the member
 * "accepted" of a document, which excuses a verdict or a failing rule (docs/policy.md).
 *
 * The file is JSON: {"plumbline_accepted": 1, "accepted": {KEY: reason, ...}}. Keys are those of
 * analyzer/greedy_differences.h; a reason is a text, which may be empty.
 */
#include <jansson.h>

#include "base/buf.h"

/* A file without entries. */
json_t *accepted_new(void);
/* NULL: *ret_error is a sentence with the file's name and the place in it; the caller frees it. */
json_t *accepted_load(const char *path, char **ret_error) MUST_CHECK;
/* Adds the differences that the file does not have. Returns their number. reason is UTF-8. */
size_t accepted_add(json_t *accepted, const json_t *differences, const char *reason);

/* Sets document's "accepted". differences: an object with the keys; without_key: the number of
 * further ones, which can't be accepted. */
void accepted_check(const json_t *accepted, const char *file, const json_t *differences,
        uint64_t without_key, json_t *document);

/* The rest reads a document's "accepted", which is not trusted. */

/* Whether there are differences and all are accepted. */
bool accepted_all(const json_t *document);
/* Whether a verdict other than SAME does not fail the command: all differences are accepted, and no
 * sampled answers, draws or scores tell the two sides apart. */
bool accepted_excuses_verdict(const json_t *document);
/* Appends "39 of 40 differences are accepted (accepted.json). ..." */
void accepted_words(const json_t *document, struct buf *to);
