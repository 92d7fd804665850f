#pragma once
/*
 * out_files - writes the files given with --out, for commands that make a report.
 */
#include <stddef.h>

#include <jansson.h>

#include "analyzer/report/output_format.h"
#include "base/options.h"

struct out_files_file {
	const char *path;
	bool is_kit;             /* path is a directory for a publication kit (report/kit) */
	enum output_format form; /* if it is no kit */
};

struct out_files {
	bool of_change; /* the report is a comparison of two analyses */
	bool with_text; /* quote prompts and answers in every form that can */
	struct out_files_file *files;
	size_t n;
};

/* limit: the most files; argc is enough. */
void out_files_init(struct out_files *s, int limit);
void out_files_finish(struct out_files *s);
/* Adds the file that a value of --out names. Returns NULL, or the problem, which the caller
 * frees. */
char *out_files_add(struct out_files *s, const char *path) MUST_CHECK;
/* the same for OPT_CALL() */
char *out_files_read(void *to, const char *name, const char *value) MUST_CHECK;
/* Option rows that fill struct out_files: --out of commands that analyze. */
extern const struct option_row OUT_FILES_OPTIONS[];
/* True if one of the files shows pairs of answers; a kit shows none. */
bool out_files_shows_pairs(const struct out_files *s) MUST_CHECK;
/* Checks that all files can be written. made: a directory that the command will have created by
 * then, or NULL. Returns NULL, or the problem, which the caller frees. */
char *out_files_check(const struct out_files *s, const char *made) MUST_CHECK;
/* A new reference to the document, or a copy without prompts and answers if the form must not
 * quote them. Unless with_text, .md must not quote, and if CI is set, no form may. */
json_t *out_files_shown(
        const struct out_files *s, const json_t *document, enum output_format form) MUST_CHECK;
/* Saves all files. Prints a line for each one: its size and whether it quotes prompts or
 * answers, or why it was not saved. Returns 0, or -1 if a file was not saved. */
int out_files_write(
        const struct out_files *s, const char *command, const json_t *document) MUST_CHECK;
