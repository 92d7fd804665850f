#pragma once
/*
 * pieces - converts vocabulary strings, which some engines send in place of a token's text, to
 * text. Pure.
 */
#include "answers/draft.h"

enum pieces {
	PIECES_TEXT,       /* plain text */
	PIECES_SENTENCE,   /* SentencePiece: "▁" is a space, <0xE2> a byte */
	PIECES_BYTE_LEVEL, /* GPT-2: one character for each byte, "Ġ" is a space */
};

/* Appends the text of a piece. It is never longer than the piece. */
void pieces_decode(enum pieces kind, struct span piece, struct buf *to);
/* Finds the kind of the choice's tokens: the kind for which the converted tokens spell the
 * texts. PIECES_TEXT: they spell the texts unconverted, or no kind fits. stretches: as for
 * spelling_matches(). */
enum pieces pieces_find(const struct choice *c, const struct stretch *stretches, size_t n);
/* Converts all tokens and alternatives of the columns. */
void pieces_decode_columns(enum pieces kind, struct columns *c);
