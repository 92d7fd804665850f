#pragma once
/*
 * part_set - reads the rows of a capture from files and folds them. Refused are: files of different
 * captures, a part or a row that occurs twice, a part that is cut, and at the end a missing part.
 *
 * The files are not trusted. Each function that returns a char * returns NULL, or a sentence about
 * a problem, which the caller frees. After a problem, do not use the analysis.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/row_columns.h"
#include "base/arena.h"
#include "base/hash_table.h"

#define PARTS_LIMIT 65536 /* the most parts of a capture */

struct part_set {            /* the caller sets `to` and zero-initialises the others */
	struct analysis *to; /* owned by the caller, who zero-initialises it before the first row */
	/* texts of part and end rows; *to points into them, so use it before part_set_finish() */
	struct arena texts;
	struct arena row_texts;
	uint32_t of; /* parts of the capture; 0: none was read yet */
	uint32_t n;  /* parts that were begun */
	struct held_part {
		bool begun;
		struct text_list problems;
	} * held; /* index: number of the part - 1 */
	/* the part with the least number so far */
	struct part_row first;
	uint32_t open;          /* number of the part being read; 0: none */
	uint64_t rows;          /* rows of the open part so far */
	const char **problems;  /* the array that part_set_problems() returned */
	struct hash_table keys; /* hashes of the rows' keys */
};

/* Reads one line of a file, without its line end. */
char *part_set_read(struct part_set *s, struct span line) MUST_CHECK;
/* Call at the end of each file. */
char *part_set_end_file(const struct part_set *s) MUST_CHECK;
/* Call after the last file. partial: parts may be missing. The caller then settles the analysis. */
char *part_set_end(const struct part_set *s, bool partial) MUST_CHECK;
/* Lists the problems of the capture (struct part_end), each sentence once. If parts are missing, a
 * sentence says so. Call after part_set_end(). s owns the list, which is valid until the next
 * call. */
struct text_list part_set_problems(struct part_set *s);
void part_set_finish(struct part_set *s);
