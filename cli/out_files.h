#pragma once
/*
 * out_files - writes the files given with --out, for commands that make a report.
 */
#include <stddef.h>

#include <jansson.h>

#include "analyzer/report/forms/output_format.h"
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

/* limit: the most files, such as argc. */
void out_files_init(struct out_files *s, int limit);
void out_files_finish(struct out_files *s);
/* Adds a file. path: the value of --out, which must outlive s. Returns NULL, or the problem. */
char *out_files_add(struct out_files *s, const char *path) MUST_CHECK;
/* out_files_add() as a function for OPT_CALL(); to: the struct out_files */
char *out_files_read(void *to, const char *name, const char *value) MUST_CHECK;
/* Option rows that fill struct out_files: --out and --with-text of commands that analyze. */
extern const struct option_row OUT_FILES_OPTIONS[];
/* True if one of the files shows pairs of answers; a kit shows none. */
bool out_files_shows_pairs(const struct out_files *s) MUST_CHECK;
/* Checks that all files can be written. made: a directory that the command creates before it writes
 * these files; NULL: none. Returns NULL, or the problem. */
char *out_files_check(const struct out_files *s, const char *made) MUST_CHECK;
/* Returns a new reference to the document, or a copy without prompts and answers if this form must
 * not quote them. With with_text, each form may quote. Else OUTPUT_FORMAT_MARKDOWN must not; and no
 * form may if the environment variable CI is set, as in a job of a CI server. */
json_t *out_files_shown(
        const struct out_files *s, const json_t *document, enum output_format form) MUST_CHECK;
/* Saves all files; those that quote prompts or answers are readable by their owner only. Prints a
 * line for each on standard error: its size and whether it quotes, or why it was not saved. Returns
 * 0, or -1 if a file was not saved. */
int out_files_write(
        const struct out_files *s, const char *command, const json_t *document) MUST_CHECK;
