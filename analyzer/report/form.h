#pragma once
/*
 * form - an analysis in the forms that people and machines read. All are made of the one document that
 * docs/analyze.schema.json describes, so that a saved one gives each of them again.
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

/* By the end of a file's name. False: no form ends so. */
bool form_of_path(const char *path, enum form *ret) MUST_CHECK;
/* The ends that are known, for a message. */
const char *form_ends(void);

/* One that a comparison of two analyses (report/change.h) has as well. */
bool form_is_of_change(enum form form) MUST_CHECK;

/* document: an analysis, or a comparison in a form that there is of it. */
void form_write(enum form form, const json_t *document, FILE *to);
/* What a command prints of an analysis: one screen, and how to see the rest; full: FORM_TEXT. */
void form_print(const json_t *document, bool full, FILE *to);
/* The file is there whole or not at all. 0, or -errno. */
int form_save(enum form form, const json_t *document, const char *path) MUST_CHECK;
