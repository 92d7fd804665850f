#pragma once
/*
 * form - the output forms of an analysis. All are made from the one document that
 * docs/analyze.schema.json describes, so each can be made again from a saved document.
 */
#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/mem.h"

enum form {
	FORM_JSON,
	FORM_HTML,
	FORM_MARKDOWN,
	FORM_JUNIT,
	FORM_TEXT,
	N_FORMS,
};

/* Finds the form by the suffix of a file's name. False: no form has this suffix. */
bool form_of_path(const char *path, enum form *ret) MUST_CHECK;
/* The known suffixes, for a message. */
const char *form_ends(void);

/* True if a comparison of two analyses (report/change.h) has this form. */
bool form_is_of_change(enum form form) MUST_CHECK;

/* Writes a document: an analysis, or a comparison if form_is_of_change(). */
void form_write(enum form form, const json_t *document, FILE *to);
/* Prints what a command shows: one screen, and how to see the rest; full: FORM_TEXT. */
void form_print(const json_t *document, bool full, FILE *to);
/* Writes the file completely or not at all. Returns 0 or -errno. */
int form_save(enum form form, const json_t *document, const char *path) MUST_CHECK;
