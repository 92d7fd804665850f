#pragma once
/*
 * format_markup - a text without what Markdown and LaTeX put around its words.
 *
 * Only marks that cannot be content are taken off: 2*3*4, __init__, "- 5", "> 5", tags, "$5 and $6"
 * and a shell's "# ls" stay as they are. Time is linear in the text.
 */
#include <stdbool.h>

#include "base/buf.h"

enum piece_kind {
	PIECE_PROSE,
	PIECE_INLINE, /* `code` */
	PIECE_FENCE,  /* ```label ... ``` */
	PIECE_JSON,   /* an object or a list of some content, bare */
	PIECE_CODE,   /* the whole text, which is a program without a fence */
};

struct piece {
	enum piece_kind kind;
	struct span all;
	struct span inside; /* without its marks */
	struct span label;  /* a fence's language */
	struct span about;  /* what else its line says, such as a file's name */
};

/* Cuts a text into pieces that cover all of it; appends struct piece, in order. */
void markup_pieces(struct span text, struct buf *to);

static inline const struct piece *markup_piece(const struct buf *pieces, size_t i)
{
	return (const struct piece *)(const void *)pieces->data + i;
}

static inline size_t markup_count(const struct buf *pieces)
{
	return pieces->len / sizeof(struct piece);
}

/* Code and JSON that stand apart from the prose. */
static inline bool piece_is_block(const struct piece *p)
{
	return p->kind == PIECE_FENCE || p->kind == PIECE_JSON || p->kind == PIECE_CODE;
}

#define MARKUP_BLOCK '\x01' /* stands for a block that was left out */
#define MARKUP_CODE '\x02'  /* around inline code */

/* The text without its marks, spaced as format_space.h does it; appended. marked: with these two. */
void markup_plain(struct span text, const struct buf *pieces, bool marked, struct buf *to);

struct markup_place { /* of inline code, in what was appended */
	size_t from, to;
};

/* The same without marks, and where its inline code stands in it: appends struct markup_place, in
 * order. */
void markup_plain_placed(
        struct span text, const struct buf *pieces, struct buf *to, struct buf *places);
/* The places of two texts that have the same words. False: both have code, and not the same. */
bool markup_places_agree(const struct buf *a, const struct buf *b);
