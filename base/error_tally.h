#pragma once
/*
 * error_tally - counts errors by their text. Zero-initialised is empty. One thread. Texts are
 * copied.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer;

#define ERROR_TALLY_LIMIT 24 /* items; the last one, "for other reasons", has all further texts */
/* error_tally_add_at() keeps line numbers only while there are fewer items than this, so that a
 * file with many errors leaves room for other errors. */
#define ERROR_TALLY_PLACES 16

struct error_count {
	char *why;
	const char *kind; /* points into why: the text after the file and line */
	uint64_t n;
};

struct error_tally {
	struct error_count items[ERROR_TALLY_LIMIT];
	size_t n;
	uint64_t total;
};

void error_tally_add(struct error_tally *r, const char *why);
/* Counts an error in a line of a file: as "PATH:LINE: WHY", and from ERROR_TALLY_PLACES items on as
 * "PATH, further lines: WHY". */
void error_tally_add_at(struct error_tally *r, const char *path, uint64_t line, const char *why);
void error_tally_add_many(struct error_tally *r, const char *why, uint64_t n);
void error_tally_merge(struct error_tally *r, const struct error_tally *other);
/* The sum of the counts of all items with the kind of item i; 0 if an earlier item has that
 * kind. */
uint64_t error_tally_of_kind(const struct error_tally *r, size_t i);
/* Prints a line for each text: `before`, the count, `what`, a colon and the text. Errors of one
 * kind in several lines of files are printed as one line, with the first place. */
void error_tally_print(const struct error_tally *r, const char *before, const char *what, FILE *to);
/* The reasons as JSON, the value of `key`: [{"why": "...", "n": 3}, ...]. */
void error_tally_json(const struct error_tally *r, const char *key, struct json_writer *w);
void error_tally_finish(struct error_tally *r);
