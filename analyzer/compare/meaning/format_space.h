#pragma once
/*
 * format_space - appends a text with normalised white space.
 *
 *	at the ends of the text       nothing
 *	a run with a line feed        one line feed, and the indentation after the last line feed
 *	another run with tabs         its tabs
 *	another run                   one blank
 *
 * Tabs and indentation stay, because two programs or tables may differ in these alone.
 */
#include <stdbool.h>

#include "base/buf.h"

struct space {
	struct buf *to;
	size_t from; /* offset in `to` where this text begins */
	/* keep the indentation of the first line; set if another line is indented */
	bool keeps_first;
	/* The white space since the last word. It is written before the next word. line: it has
	 * a line feed. blank: it has a blank. tabs: its number of tabs. indent: what follows its
	 * last line feed. */
	bool line, blank;
	size_t tabs;
	struct span indent;
};

/* text: the whole text; then pass it in parts, in order, to the functions below. They append the
 * result to *to. */
void space_init(struct space *s, struct span text, struct buf *to);
/* Appends prose with normalised white space. White space between two quotation marks on one line
 * stays as it is. */
void space_put(struct space *s, struct span text);
/* Appends the white space since the last word, then the bytes unchanged. */
void space_put_verbatim(struct space *s, struct span text);
/* There is no finish function: white space at the end is never written. */
