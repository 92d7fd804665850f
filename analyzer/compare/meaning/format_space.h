#pragma once
/*
 * format_space - a text with normalised white space: none at the ends, one blank for a run of
 * blanks, one line feed for a run that contains one. Tabs and the indentation of lines stay, since
 * two programs or two tables may differ only there.
 */
#include <stdbool.h>

#include "base/buf.h"

struct space {
	struct buf *to;
	size_t from;      /* where in `to` this text begins */
	bool keeps_first; /* the indentation of the first line stays too */
	/* The white space that waits for the next word: whether it has a line feed, or a blank; its
	 * tabs, each of which may end a column; and what follows its last line feed. */
	bool line, blank;
	size_t tabs;
	struct span indent;
};

/* text: the whole text; it decides whether the indentation of the first line matters. */
void space_init(struct space *s, struct span text, struct buf *to);
/* For prose: folds runs, except within quotation marks on one line. */
void space_put(struct space *s, struct span text);
/* Appends bytes unchanged, after the pending white space. */
void space_put_verbatim(struct space *s, struct span text);
/* Pending white space at the end is dropped, so there is no finish function. */
