#pragma once
/*
 * saving - writes the files given with --out, for commands that make a report.
 */
#include <stddef.h>

#include <jansson.h>

#include "analyzer/report/form.h"
#include "base/options.h"

struct saving_file {
	const char *path;
	bool is_kit;    /* path is a directory for a publication kit (report/kit) */
	enum form form; /* if it is no kit */
};

struct saving {
	bool of_change; /* the report is a comparison of two analyses */
	bool with_text; /* quote prompts and answers in every form that can */
	struct saving_file *files;
	size_t n;
};

/* limit: the most files; argc is enough. */
void saving_init(struct saving *s, int limit);
void saving_finish(struct saving *s);
/* Adds the file that a value of --out names. Returns NULL, or the problem, which the caller
 * frees. */
char *saving_add(struct saving *s, const char *path) MUST_CHECK;
/* the same for OPT_CALL() */
char *saving_read(void *to, const char *name, const char *value) MUST_CHECK;
/* Option rows that fill struct saving: --out of commands that analyze. */
extern const struct option_row SAVING_OPTIONS[];
/* True if one of the files shows pairs of answers; a kit shows none. */
bool saving_shows_pairs(const struct saving *s) MUST_CHECK;
/* Checks that all files can be written. made: a directory that the command will have created by
 * then, or NULL. Returns NULL, or the problem, which the caller frees. */
char *saving_check(const struct saving *s, const char *made) MUST_CHECK;
/* A new reference to the document, or a copy without prompts and answers if the form must not
 * quote them. Unless with_text, .md must not quote, and if CI is set, no form may. */
json_t *saving_shown(const struct saving *s, const json_t *document, enum form form) MUST_CHECK;
/* Saves all files. Prints a line for each one: its size and whether it quotes prompts or
 * answers, or why it was not saved. Returns 0, or -1 if a file was not saved. */
int saving_write(const struct saving *s, const char *command, const json_t *document) MUST_CHECK;
