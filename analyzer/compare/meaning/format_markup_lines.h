#pragma once
/*
 * format_markup_lines - marks at the beginning of lines: lists, headings, quotations, rules, tables.
 */
#include "analyzer/compare/meaning/format_markup_edits.h"

#define LINES_DEPTH 8 /* of lists within lists */

struct lines {
	const char *begin, *end;
	bool ordered; /* numbers at the beginnings of lines count 1, 2, ... and so say nothing */
	size_t indents[LINES_DEPTH]; /* of the items around the line, and of the last one */
	size_t depth;
	size_t dashes; /* lines that begin with such a mark */
	bool signs;    /* some begin with "+" or "=", and so a dash is no bullet but a sign */
};

void lines_init(struct lines *l, struct span text);
/* p is at a line's beginning. Appends the edits; returns where the line's own text begins. */
const char *lines_scan(struct lines *l, const char *p, const char *stop, struct buf *edits);
