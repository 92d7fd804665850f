#pragma once
/*
 * format_markup_edits - finds the bytes of a text that are marks, and what replaces them.
 */
#include "analyzer/compare/meaning/format_markup.h"

struct edit {
	const char *at;   /* position in the text */
	size_t len;       /* bytes that the edit replaces; 0: the edit was withdrawn, ignore it */
	const char *with; /* the replacement, static; NULL: the bytes are removed */
};

/* Appends struct edit to *to, in the order of the text. Only pieces of prose get edits. */
void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to);
