#pragma once
/*
 * format_markup - removes Markdown and LaTeX marks around the words of a text.
 *
 * It removes only marks that cannot be content. So 2*3*4, __init__, "- 5", "> 5", HTML tags, "$5
 * and $6" and a shell's "# ls" stay as they are. Pure; time is linear in the text.
 */
#include <stdbool.h>

#include "base/buf.h"

enum markup_piece_kind {
	MARKUP_PIECE_PROSE,
	MARKUP_PIECE_INLINE, /* `code` */
	MARKUP_PIECE_FENCE,  /* ```label ... ``` */
	/* a JSON object or list without a fence that has at least one member or item */
	MARKUP_PIECE_JSON,
	MARKUP_PIECE_CODE, /* the whole text is a program without a fence */
};

struct markup_piece { /* the spans point into the text */
	enum markup_piece_kind kind;
	struct span all;
	struct span inside; /* `all` without its marks */
	/* the word after the opening marks of a fence, usually a language; else empty */
	struct span label;
	struct span about; /* the rest of the fence's first line, such as a file name; else empty */
};

/* Divides a text into pieces that cover all of it; appends struct markup_piece, in order. */
void markup_pieces(struct span text, struct buf *to);

static inline const struct markup_piece *markup_piece(const struct buf *pieces, size_t i)
{
	return (const struct markup_piece *)(const void *)pieces->data + i;
}

static inline size_t markup_count(const struct buf *pieces)
{
	return pieces->len / sizeof(struct markup_piece);
}

/* True for code and JSON outside of the prose. */
static inline bool markup_is_block(const struct markup_piece *p)
{
	return p->kind == MARKUP_PIECE_FENCE || p->kind == MARKUP_PIECE_JSON ||
	       p->kind == MARKUP_PIECE_CODE;
}

#define MARKUP_BLOCK '\x01' /* stands for a block */
#define MARKUP_CODE '\x02'  /* stands before and after the content of inline code */

/* Appends the text without its marks and with the white space of format_space.h. pieces: from
 * markup_pieces() of this text.
 *
 *	           blocks                                  inline code
 *	marked     MARKUP_BLOCK instead of each            content between two MARKUP_CODE
 *	otherwise  the fence's `about`, then the content   content */
void markup_plain(struct span text, const struct buf *pieces, bool marked, struct buf *to);

/* Where inline code is, in bytes from the beginning of the appended text. */
struct markup_place {
	size_t from, to; /* the first byte; the byte after the last one */
};

/* Like markup_plain() with `marked` false. Also appends the places of inline code to *places
 * (struct markup_place, in order). */
void markup_plain_placed(
        struct span text, const struct buf *pieces, struct buf *to, struct buf *places);
/* Compares the places of inline code in two texts that are equal after markup_plain_placed().
 * False: both have inline code, but not in the same places. */
bool markup_places_agree(const struct buf *a, const struct buf *b);

/* One change that markup_plain() makes in the text. Only for the files format_markup*.c. */
struct markup_edit {
	const char *at; /* position in the text */
	/* bytes of the text that the edit replaces or removes; 0: ignore the edit */
	size_t len;
	const char *with; /* the replacement, a static string; NULL: the bytes are removed */
};

/* Appends struct markup_edit to *to, in the order of the text. Only pieces of prose get edits. */
void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to);
