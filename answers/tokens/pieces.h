#pragma once
/*
 * pieces - the strings of a vocabulary, which some engines give in place of what tokens say.
 */
#include "answers/draft.h"

enum pieces {
	PIECES_TEXT,       /* tokens are what they say */
	PIECES_SENTENCE,   /* SentencePiece: "▁" is a space, <0xE2> a byte */
	PIECES_BYTE_LEVEL, /* GPT-2's: a character for each byte, "Ġ" the space */
};

/* Appends what a piece says. It is never longer than the piece. */
void pieces_undo(enum pieces kind, struct span piece, struct buf *to);
/* As which pieces do the choice's tokens spell its texts, if they do not as they are? PIECES_TEXT:
 * as none. */
enum pieces pieces_find(const struct choice *c, const struct stretch *stretches, size_t n);
/* Undoes all tokens of columns, the alternatives too. */
void pieces_undo_columns(enum pieces kind, struct columns *c);
