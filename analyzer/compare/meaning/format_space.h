#pragma once
/*
 * format_space - a text with its white space in one form: none at the ends, one blank for a run of blanks,
 * one line feed for a run that holds one. Tabs and the indentation of lines stay: two programs or
 * two tables may differ in nothing else.
 */
#include <stdbool.h>

#include "base/buf.h"

struct space {
	struct buf *to;
	size_t from;      /* where in `to` this text begins */
	bool keeps_first; /* the first line's indentation stays too */
	bool line, blank;
	size_t tabs;        /* each may end a column */
	struct span indent; /* after the last line feed of the run under way */
};

/* text: all that is to come, which decides whether the first line's indentation matters. */
void space_init(struct space *s, struct span text, struct buf *to);
/* Prose: runs are folded, but within quotation marks on one line. */
void space_put(struct space *s, struct span text);
/* Bytes as they are, after the white space so far. */
void space_put_verbatim(struct space *s, struct span text);
/* White space at the very end is dropped, so there is nothing to finish. */
