#pragma once
/*
 * part_set - reads the rows of a capture from files and folds them. It checks that all files are of
 * one capture, that no part and no row occurs twice, that no part is cut, and at the end that no
 * part is missing.
 *
 * The files are not trusted. Functions that return a char * return NULL, or a sentence about a
 * problem, which the caller frees; after a problem, do not use the analysis.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/row_columns.h"
#include "base/arena.h"
#include "base/hash_table.h"

#define PARTS_LIMIT 65536

struct part_set {
	struct analysis *to; /* the caller's; must be zero-initialised before the first row */
	/* Texts of part and end rows. The analysis points into them. */
	struct arena texts;
	struct arena row_texts;
	uint32_t of; /* number of parts of the capture; 0: no part was read yet */
	uint32_t n;  /* number of parts that were begun */
	struct held_part {
		bool begun;
		struct text_list problems;
	} * held; /* indexed by the part's number - 1 */
	/* the part with the least number */
	struct part_row first;
	uint32_t open;          /* number of the part being read; 0: none */
	uint64_t rows;          /* number of rows of the open part so far */
	const char **problems;  /* the array that part_set_problems() returned */
	struct hash_table keys; /* hashes of the rows' keys */
};

/* Reads one line of a file. */
char *part_set_read(struct part_set *s, struct span line) MUST_CHECK;
/* Call at the end of each file. */
char *part_set_end_file(const struct part_set *s) MUST_CHECK;
/* Call after the last file. partial: parts may be missing. */
char *part_set_end(const struct part_set *s, bool partial) MUST_CHECK;
/* The problems of the capture, each sentence once, and one about missing parts. s owns the list. */
struct text_list part_set_problems(struct part_set *s);
void part_set_finish(struct part_set *s);
