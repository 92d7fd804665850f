#pragma once
/*
 * format_markup_edits - which bytes of a text are marks, and what stands in their place.
 */
#include "analyzer/compare/meaning/format_markup.h"

struct edit {
	const char *at;
	size_t len;       /* 0: came to nothing */
	const char *with; /* in place of them; NULL: nothing */
};

/* Appends struct edit in order; only prose has any. */
void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to);
