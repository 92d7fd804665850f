#pragma once
/*
 * part_set - reads the rows of a capture back from files and folds them. It checks that all files
 * are of one capture, that no part and no row comes twice, that no part is cut, and at the end that
 * none is missing.
 *
 * The files are not trusted. Problems are sentences that the caller frees; after a problem the
 * analysis must not be used.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/row_columns.h"
#include "base/arena.h"
#include "base/hash_table.h"

#define PARTS_LIMIT 65536

struct part_set {
	struct analysis *to; /* the caller's; zero-initialised before the first row */
	/* Texts of part and end rows: they are kept, and the analysis borrows from them. */
	struct arena texts;
	struct arena row_texts;
	uint32_t of; /* number of parts that the capture was written in; 0: no part yet */
	uint32_t n;  /* parts read, or being read */
	struct held_part {
		bool begun;
		struct text_list problems;
	} * held; /* by number - 1 */
	/* the part with the least number; all parts have the same selection */
	struct part_row first;
	uint32_t open;          /* the part being read; 0: none */
	uint64_t rows;          /* rows of the open part, so far */
	const char **problems;  /* the array that part_set_problems() returned */
	struct hash_table keys; /* hashes of the rows' keys */
};

/* Reads one line of a file. */
char *part_set_read(struct part_set *s, struct span line) MUST_CHECK;
/* Call at the end of each file. */
char *part_set_end_file(const struct part_set *s) MUST_CHECK;
/* Call after the last file. partial: parts may be missing. */
char *part_set_end(const struct part_set *s, bool partial) MUST_CHECK;
/* The problems of the capture, each sentence once, and whether parts are missing. */
struct text_list part_set_problems(struct part_set *s);
void part_set_finish(struct part_set *s);
