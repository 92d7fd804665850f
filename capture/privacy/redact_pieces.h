#pragma once
/*
 * redact_pieces - divides a body into pieces: strings, keys, numbers, lists of bytes, lines of an
 * event stream, and the rest. For redact.c only. Needs a call of redact_pieces_finish().
 *
 * Pieces that together are one text, over the events of a stream or the tokens of an answer, have
 * the same channel.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/claim.h"
#include "capture/privacy/redact_policy.h"

enum redact_piece_flag {
	/* private by its place in the document: removed completely */
	REDACT_PIECE_PRIVATE = 1 << 0,
	REDACT_PIECE_TOKEN = 1 << 1, /* the text of a token; the piece has a slot */
	/* a token that was not chosen in its slot, or may not have been */
	REDACT_PIECE_ALTERNATIVE = 1 << 2,
	REDACT_PIECE_ID = 1 << 3,       /* the id of a token in its slot */
	REDACT_PIECE_IDS = 1 << 4,      /* a list of ids: removed completely */
	REDACT_PIECE_DIGITS = 1 << 5,   /* must stay a number, or the text of a number */
	REDACT_PIECE_JUNK = 1 << 6,     /* outside of strings; JSON punctuation in it stays */
	REDACT_PIECE_BLANK = 1 << 7,    /* tokens of a prompt: always removed */
	REDACT_PIECE_REPLACED = 1 << 8, /* set by matching: a part of the piece is removed */
};

/* What pieces may share. 0: nothing. */
enum redact_piece_group {
	REDACT_PIECE_CHANNEL, /* the text to which it belongs */
	REDACT_PIECE_PATH,    /* as channel, but ignoring array indexes */
	REDACT_PIECE_SLOT,    /* position of the token in the body */
	N_REDACT_PIECE_GROUPS
};

struct redact_piece {
	size_t at;        /* offset in the raw body */
	uint32_t len;     /* length in the raw body */
	uint32_t text_at; /* offset in the channel's decoded text */
	uint32_t text_len;
	uint32_t order; /* number of the piece in the body, from 0 */
	uint16_t flags;
	uint8_t spelling;                   /* enum redact_spelling */
	uint64_t in[N_REDACT_PIECE_GROUPS]; /* what it shares, by enum redact_piece_group */
	/* a match began in an earlier piece: the state of redact_fill() at the piece's beginning */
	uint64_t state;
	uint32_t lead;        /* a replaced token: its bytes before the match */
	uint32_t original_at; /* a replaced token: offset of its original text */
	uint32_t document;    /* number of its document, from 1; 0: none, or no channel */
};

struct redact_pieces {       /* zero-initialise it, and set claim */
	struct claim *claim; /* counts the memory; freeing it does not reduce the claim */
	struct redact_piece *items;
	size_t n, cap;
	struct redact_piece **order; /* memory for sorting: a pointer for each piece */
	int error;                   /* -E2BIG, -ENOMEM: the list is incomplete */
	bool has_private;            /* a piece is private by its place */
	struct redact_piece nowhere; /* in place of a piece without room */
};

/*
 * Adds all of the body as pieces, according to the policy. Returns 0; -E2BIG: it is too large or
 * too deep to examine; -EBADMSG: it is no text; -ENOMEM: the claim's budget has no room.
 */
int redact_pieces_cut(
        struct redact_pieces *p, const struct redact_policy *policy, struct span body) MUST_CHECK;
/* Calls fn for each group of pieces that share a value other than 0. Within a group the pieces are
 * in the body's order; for REDACT_PIECE_PATH they are sorted by channel first. */
typedef void (*redact_pieces_fn)(void *arg, struct redact_piece **group, size_t n);
void redact_pieces_each(
        struct redact_pieces *p, enum redact_piece_group by, redact_pieces_fn fn, void *arg);
/*
 * In some streams an array index grows with each event, so that one text is spread over many
 * channels. For pieces where this seems to be so, sets channel = path, which joins the text again;
 * for all other pieces, channel = 0. False: there are no such pieces; the channels are unchanged.
 * REDACT_PIECE_PATH is overwritten in both cases.
 */
bool redact_pieces_regroup(struct redact_pieces *p);
void redact_pieces_finish(struct redact_pieces *p);
