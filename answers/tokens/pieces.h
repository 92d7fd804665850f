#pragma once
/*
 * pieces - vocabulary strings, which some engines give in place of a token's text.
 */
#include "answers/draft.h"

enum pieces {
	PIECES_TEXT,       /* plain text */
	PIECES_SENTENCE,   /* SentencePiece: "▁" is a space, <0xE2> a byte */
	PIECES_BYTE_LEVEL, /* GPT-2: one character for each byte, "Ġ" is a space */
};

/* Appends the text of a piece, which is never longer than the piece. */
void pieces_undo(enum pieces kind, struct span piece, struct buf *to);
/* The kind of pieces in which the choice's tokens are written: converted as this kind, they
 * spell the choice's texts. PIECES_TEXT: they spell the texts as they are, or no kind fits. */
enum pieces pieces_find(const struct choice *c, const struct stretch *stretches, size_t n);
/* Converts all tokens of the columns, also the alternatives. */
void pieces_undo_columns(enum pieces kind, struct columns *c);
