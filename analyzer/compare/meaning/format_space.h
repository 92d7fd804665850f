#pragma once
/*
 * format_space - appends a text with normalised white space: none at the ends, one blank for a run
 * of blanks, one line feed for a run that contains a line feed. Tabs and the indentation of lines
 * stay, because two programs or tables may differ in these alone.
 */
#include <stdbool.h>

#include "base/buf.h"

struct space {
	struct buf *to;
	size_t from;      /* offset in `to` where this text begins */
	bool keeps_first; /* keep the indentation of the first line too */
	/* The pending white space, written before the next word: whether it has a line feed, or
	 * a blank; its number of tabs, since each may end a column; and what follows its last
	 * line feed. */
	bool line, blank;
	size_t tabs;
	struct span indent;
};

/* text: the whole text; it decides whether the indentation of the first line matters. */
void space_init(struct space *s, struct span text, struct buf *to);
/* Appends prose with normalised white space, except within quotation marks on one line. */
void space_put(struct space *s, struct span text);
/* Appends bytes unchanged, after the pending white space. */
void space_put_verbatim(struct space *s, struct span text);
/* There is no finish function: pending white space at the end is never written. */
