#pragma once
/*
 * redact_pieces - divides a body into pieces: strings, keys, numbers, lists of bytes, lines of an
 * event stream, and the rest. For redact.c only.
 *
 * Pieces that together are one text, over the events of a stream or the tokens of an answer, have
 * the same channel.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/claim.h"
#include "capture/privacy/redact_policy.h"

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

/* What pieces may share. 0: nothing. */
enum piece_group {
	PIECE_CHANNEL, /* the text to which it belongs */
	PIECE_PATH,    /* as channel, but ignoring array indexes */
	PIECE_SLOT,    /* position of the token in the body */
	N_PIECE_GROUPS
};

struct piece {
	size_t at;        /* offset in the raw body */
	uint32_t len;     /* length in the raw body */
	uint32_t text_at; /* offset in the channel's decoded text */
	uint32_t text_len;
	uint32_t order;
	uint16_t flags;
	uint8_t spelling;
	uint64_t in[N_PIECE_GROUPS];
	/* a match began in an earlier piece: the state of redact_fill() at the piece's beginning */
	uint64_t state;
	uint32_t lead;        /* a replaced token: its bytes before the match */
	uint32_t original_at; /* a replaced token: offset of its original text */
	uint32_t document;
};

struct pieces {
	struct claim *claim; /* counts the memory; freeing it does not reduce the claim */
	struct piece *items;
	size_t n, cap;
	struct piece **order; /* memory for sorting: a pointer for each piece */
	int error;            /* -E2BIG, -ENOMEM: the list is incomplete */
	bool has_private;     /* a piece is private by its place */
	struct piece nowhere; /* in place of a piece without room */
};

/*
 * Adds all of the body as pieces, according to the policy. Returns 0; -E2BIG: it is too large or
 * too deep to examine; -EBADMSG: it is no text; -ENOMEM: the claim's budget has no room.
 */
int redact_pieces_cut(
        struct pieces *p, const struct redact_policy *policy, struct span body) MUST_CHECK;
/* Calls fn for each group of pieces that share a value other than 0. They are in the body's
 * order; those with equal paths are in the order of their channels first. */
typedef void (*pieces_fn)(void *arg, struct piece **group, size_t n);
void redact_pieces_each(struct pieces *p, enum piece_group by, pieces_fn fn, void *arg);
/*
 * An array index may number events instead of texts. If it differs from event to event, the path
 * becomes the channel, and pieces without such an index get channel 0. False: there is no such
 * piece, and nothing changes.
 */
bool redact_pieces_regroup(struct pieces *p);
void redact_pieces_finish(struct pieces *p);
