#pragma once
/*
 * format_markup_edits - finds the bytes of a text that are marks, and what replaces them.
 */
#include "analyzer/compare/meaning/format_markup.h"

struct edit {
	const char *at;
	size_t len;       /* 0: dropped */
	const char *with; /* the replacement; NULL: none */
};

/* Appends struct edit in order; only prose has edits. */
void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to);
