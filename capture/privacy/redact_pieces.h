#pragma once
/*
 * redact_pieces - divides a body into pieces: strings, keys, numbers, lists of bytes, and the rest.
 * For the modules that redact only.
 *
 * Pieces that together are one text, over the events of a stream or the tokens of an answer, have
 * the same channel.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/claim.h"
#include "capture/privacy/redact_places.h"

enum piece_flag {
	PIECE_PRIVATE = 1 << 0, /* private by its place in the document: removed completely */
	PIECE_TOKEN = 1 << 1,   /* the text of a token; the piece has a slot */
	/* a token that was not chosen in its slot, or may not have been */
	PIECE_ALTERNATIVE = 1 << 2,
	PIECE_ID = 1 << 3,       /* the id of a token in its slot */
	PIECE_IDS = 1 << 4,      /* a list of ids: removed completely */
	PIECE_DIGITS = 1 << 5,   /* must stay a number, or the text of a number */
	PIECE_JUNK = 1 << 6,     /* outside of strings; JSON punctuation in it stays */
	PIECE_BLANK = 1 << 7,    /* tokens of a prompt: always removed */
	PIECE_REPLACED = 1 << 8, /* set by matching: a part of the piece is removed */
};

struct piece {
	size_t at;        /* offset in the raw body */
	uint32_t len;     /* length in the raw body */
	uint32_t text_at; /* offset in the channel's decoded text */
	uint32_t text_len;
	uint32_t order;
	uint16_t flags;
	uint8_t spelling;
	uint64_t channel; /* the text to which it belongs; 0: a text of its own */
	uint64_t path;    /* as channel, but ignoring array indexes */
	uint64_t slot;    /* position of the token in the body; 0: none */
	/* a match began in an earlier piece: the state of redact_fill() at the piece's beginning */
	uint64_t state;
	uint32_t lead;        /* a replaced token: its bytes before the match */
	uint32_t original_at; /* a replaced token: offset of its original text */
	uint32_t document;
};

struct pieces {
	struct claim *claim; /* counts the memory of items; freeing it does not reduce the claim */
	struct piece *items;
	size_t n, cap;
	int error; /* -E2BIG, -ENOMEM: the list is incomplete */
	bool has_tokens, has_private;
	struct piece nowhere; /* returned for a piece without room */
};

/* Adds a piece and returns it, valid until the next call; the caller sets channel, path and
 * slot. Never NULL. */
struct piece *redact_pieces_add(
        struct pieces *p, size_t at, size_t len, enum redact_spelling how, unsigned flags);
/* Adds the pieces of the document in `places`, according to its policy. */
void redact_pieces_add_document(struct pieces *p, struct redact_places *places);
/*
 * An array index may number events instead of texts. If it differs from event to event, the path
 * becomes the channel, and pieces without such an index get channel 0. False: there is no such
 * piece, and nothing changes. order: memory for all pieces.
 */
bool redact_pieces_regroup(struct pieces *p, struct piece **order);
void redact_pieces_finish(struct pieces *p);
