#pragma once
/*
 * output_format - the output formats ("forms") of an analysis. All are made from the one document
 * that docs/analyze.schema.json describes, so each can be made again from a saved document.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

#include "base/mem.h"

enum output_format {
	OUTPUT_FORMAT_JSON,
	OUTPUT_FORMAT_HTML,
	OUTPUT_FORMAT_MARKDOWN,
	OUTPUT_FORMAT_JUNIT,
	OUTPUT_FORMAT_TEXT,
	N_FORMS,
};

/* Finds the form by the suffix of a file's name. False: no form has this suffix; *ret is
 * unchanged. */
bool output_format_of_path(const char *path, enum output_format *ret) MUST_CHECK;
/* The known suffixes, for a message. */
const char *output_format_ends(void);

/* True if a comparison of two analyses (report/change.h) can have this form. */
bool output_format_is_of_change(enum output_format form) MUST_CHECK;

/* Writes a document: an analysis, or a comparison if output_format_is_of_change(). Errors of
 * writing remain in `to` (ferror()), also with output_format_print(). */
void output_format_write(enum output_format form, const json_t *document, FILE *to);
/* Prints a document. full: all of it, as OUTPUT_FORMAT_TEXT; else one screen, and how to see the
 * rest. */
void output_format_print(const json_t *document, bool full, FILE *to);
/* Writes a new file with this mode (under the umask), syncs it, and renames it to `path`. After an
 * error, a file that was there before is unchanged. Returns 0 or -errno. */
int output_format_save(
        enum output_format form, const json_t *document, const char *path, mode_t mode) MUST_CHECK;
