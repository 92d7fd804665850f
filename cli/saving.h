#pragma once
/*
 * saving - writes the files of --out, for commands that make a report.
 */
#include <stddef.h>

#include <jansson.h>

#include "analyzer/report/form.h"
#include "base/options.h"

struct saving_file {
	const char *path;
	bool is_kit;    /* a directory for a publication kit (report/kit) */
	enum form form; /* else */
};

struct saving {
	bool of_change; /* the report is a comparison of two analyses */
	bool with_text; /* quote prompts and answers in every form that can */
	struct saving_file *files;
	size_t n;
};

/* limit: the most files, such as argc. */
void saving_init(struct saving *s, int limit);
void saving_finish(struct saving *s);
/* Returns NULL, or the problem with a value of --out; the caller frees it. */
char *saving_take(struct saving *s, const char *path) MUST_CHECK;
char *saving_read(void *to, const char *name, const char *value) MUST_CHECK; /* for OPT_CALL() */
/* Option rows that fill a struct saving: the --out of an analysis. */
extern const struct option_row SAVING_OPTIONS[];
/* Whether a file is among them that shows pairs of answers; a kit shows none. */
bool saving_shows_pairs(const struct saving *s) MUST_CHECK;
/* Checks that all files can be written. Returns NULL, or the problem; the caller frees it. made: a
 * directory that will exist by then, or NULL. */
char *saving_check(const struct saving *s, const char *made) MUST_CHECK;
/* A new reference to the document, or a copy without prompts and answers if the form must not quote
 * them: .md, and every form where CI is set, unless with_text. */
json_t *saving_shown(const struct saving *s, const json_t *document, enum form form) MUST_CHECK;
/* Returns 0, or -1 if a file could not be saved; prints a line for each such file. For each file
 * that was saved, prints its size and whether it quotes prompts or answers. */
int saving_write(const struct saving *s, const char *command, const json_t *document) MUST_CHECK;
