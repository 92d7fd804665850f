#pragma once
/*
 * part_set - the rows of a capture, read back from their files and folded. It checks that all are of
 * one capture, that no part and no row comes twice, that no part is cut, and at the end that none is
 * missing.
 *
 * The files are not trusted. Problems are sentences that the caller frees; after one the analysis
 * is of no use.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/row_columns.h"
#include "base/arena.h"

#define PARTS_LIMIT 65536

struct part_set {
	struct analysis *to; /* the caller's; zero-initialised before the first row */
	/* Of part and end rows: they stay, and the analysis borrows from them. */
	struct arena texts;
	struct arena row_texts;
	uint32_t of; /* how many parts the capture was written in; 0: no part has come */
	uint32_t n;  /* that have come, or are under way */
	struct held_part {
		bool begun;
		struct text_list problems;
	} * held;              /* by number - 1 */
	struct part_row first; /* the part with the least number; all agree in what was chosen */
	uint32_t open;         /* the part under way; 0: none */
	uint64_t rows;         /* of it, so far */
	const char **problems; /* of part_set_problems() */
	struct row_keys {
		uint64_t *places; /* 0: free */
		size_t n, room;
	} keys;
};

/* One line of a file. */
char *part_set_read(struct part_set *s, struct span line) MUST_CHECK;
/* A file has ended. */
char *part_set_end_file(const struct part_set *s) MUST_CHECK;
/* All files have ended. partial: parts may be missing. */
char *part_set_end(const struct part_set *s, bool partial) MUST_CHECK;
/* What was wrong with the capture, each sentence once, and whether parts are missing. */
struct text_list part_set_problems(struct part_set *s);
void part_set_finish(struct part_set *s);
