#pragma once
/*
 * accepted - differences between greedy answers that a person looked at and accepted: reads their
 * file, and sets and reads the member "accepted" of a document. Accepted differences can excuse a
 * verdict or a failing rule (docs/policy.md).
 *
 * The file is JSON: {"plumbline_accepted": 1, "accepted": {KEY: reason, ...}}.
 * analyzer/greedy_differences.h defines the keys; a reason is a text and may be empty. "The
 * contents of a file" below is this object.
 */
#include <jansson.h>

#include "base/buf.h"

/* The contents of a file without entries; a new reference. */
json_t *accepted_new(void);
/* Reads a file; a new reference. NULL: *ret_error is a sentence with the file's name and the place
 * in the file; the caller frees this text. */
json_t *accepted_load(const char *path, char **ret_error) MUST_CHECK;
/* Adds those of `differences` (struct greedy_differences.found) that `accepted`, the contents of a
 * file, does not have, each with this reason (UTF-8). Returns how many were added. */
size_t accepted_add(json_t *accepted, const json_t *differences, const char *reason);

/* Sets "accepted" of the document and of its exhibits. accepted: the contents of a file; file:
 * its name; differences, without_key: .found and .without_key of struct greedy_differences. */
void accepted_check(const json_t *accepted, const char *file, const json_t *differences,
        uint64_t without_key, json_t *document);

/* The following functions read a document after accepted_check(); it may be a saved one and is
 * not trusted. */

/* True if there are differences and all are accepted. */
bool accepted_all(const json_t *document);
/* True if a verdict other than SAME must not fail the command. True if all of this holds:
 *
 *	- all differences are accepted
 *	- no engine's draws have a finding
 *	- every verdict on two backends is SAME, or depends on greedy answers alone (not on k3) */
bool accepted_excuses_verdict(const json_t *document);
/* Appends "39 of 40 differences are accepted (accepted.json). New: 1, ..."; needs "accepted". */
void accepted_words(const json_t *document, struct buf *to);
