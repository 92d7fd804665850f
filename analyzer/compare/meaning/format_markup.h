#pragma once
/*
 * format_markup - removes Markdown and LaTeX marks around the words of a text.
 *
 * It removes only marks that cannot be content: 2*3*4, __init__, "- 5", "> 5", tags, "$5 and $6"
 * and a shell's "# ls" stay as they are. Time is linear in the text.
 */
#include <stdbool.h>

#include "base/buf.h"

enum piece_kind {
	PIECE_PROSE,
	PIECE_INLINE, /* `code` */
	PIECE_FENCE,  /* ```label ... ``` */
	PIECE_JSON,   /* a JSON object or list without a fence; not empty */
	PIECE_CODE,   /* the whole text is a program without a fence */
};

struct piece {
	enum piece_kind kind;
	struct span all;
	struct span inside; /* the content without its marks */
	struct span label;  /* a fence's language */
	struct span about;  /* other text on the fence's line, such as a file name */
};

/* Divides a text into pieces that cover all of it; appends struct piece, in order. */
void markup_pieces(struct span text, struct buf *to);

static inline const struct piece *markup_piece(const struct buf *pieces, size_t i)
{
	return (const struct piece *)(const void *)pieces->data + i;
}

static inline size_t markup_count(const struct buf *pieces)
{
	return pieces->len / sizeof(struct piece);
}

/* True for code and JSON outside of the prose. */
static inline bool piece_is_block(const struct piece *p)
{
	return p->kind == PIECE_FENCE || p->kind == PIECE_JSON || p->kind == PIECE_CODE;
}

#define MARKUP_BLOCK '\x01' /* stands for a block that was left out */
#define MARKUP_CODE '\x02'  /* stands before and after inline code */

/* Appends the text without its marks and with the white space of format_space.h. marked: writes
 * MARKUP_BLOCK for each block, and MARKUP_CODE around inline code. */
void markup_plain(struct span text, const struct buf *pieces, bool marked, struct buf *to);

struct markup_place { /* where inline code is in the appended text, in bytes */
	size_t from, to;
};

/* Like markup_plain() with marked false. Also appends the places of inline code to *places, as
 * struct markup_place in order. */
void markup_plain_placed(
        struct span text, const struct buf *pieces, struct buf *to, struct buf *places);
/* Compares the places of inline code in two texts with equal words. False: both have inline
 * code, but in different places. */
bool markup_places_agree(const struct buf *a, const struct buf *b);

/* The bytes of a text that are marks, and what replaces them. For the files of format_markup. */
struct markup_edit {
	const char *at;   /* position in the text */
	size_t len;       /* bytes that the edit replaces; 0: the edit was withdrawn, ignore it */
	const char *with; /* the replacement, static; NULL: the bytes are removed */
};

/* Appends struct markup_edit to *to, in the order of the text. Only pieces of prose get edits. */
void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to);
