#pragma once
/*
 * redact_parts - what redact.c, redact_pieces.c and redact_policy.c share. Private to these.
 *
 * A body is cut into pieces: strings, keys, numbers, lists of bytes, and what is none of these. Pieces that spell
 * one text together, over the events of a stream or the tokens of an answer, have the same channel.
 */
#include <stdatomic.h>

#include "reading/pattern.h"
#include "reading/redact.h"
#include "reading/redact_tree.h"

struct redact_policy {
	atomic_uint refs;
	unsigned secrets;
	bool everything;
	struct pattern **patterns;
	size_t n_patterns;
	char ***members; /* each a list of names, the innermost first, that ends with NULL */
	size_t n_members;
};

enum piece_flag {
	PIECE_PRIVATE = 1 << 0,     /* by its place: all of it goes */
	PIECE_TOKEN = 1 << 1,       /* a token's text, with a slot */
	PIECE_ALTERNATIVE = 1 << 2, /* not chosen in its slot, or not known to be */
	PIECE_ID = 1 << 3,          /* a number that stands for a token in its slot */
	PIECE_IDS = 1 << 4,         /* a list of such: all of it goes */
	PIECE_DIGITS = 1 << 5,      /* stays a number, or a number's text */
	PIECE_JUNK = 1 << 6,        /* outside of strings: marks of JSON in it stay */
	PIECE_BLANK = 1 << 7,       /* tokens of a prompt: they go with whatever they are */
	PIECE_TOUCHED = 1 << 8,     /* set while matching: some of it goes */
};

struct piece {
	size_t at;        /* raw, in the body */
	uint32_t len;     /* raw */
	uint32_t text_at; /* decoded: in the channel's text */
	uint32_t text_len;
	uint32_t order;
	uint16_t flags;
	uint8_t spelling;
	uint64_t channel; /* 0: for itself */
	uint64_t path;    /* what the channel would be if no index told texts apart */
	uint64_t slot;    /* token position, within the body; 0: none */
	uint64_t state;   /* of the fill where the piece begins, if a match began earlier */
	uint32_t lead;    /* of a touched token: bytes of it before the match */
	uint32_t kept_at; /* of a touched token: where it is among these */
	uint32_t document;
};

struct pieces {
	struct piece *items;
	size_t n, cap;
	bool has_tokens, has_private;
};

/* The body as pieces. 0; -E2BIG: more than can be looked into; -EBADMSG: no text. */
int redact_pieces_make(
        const struct redact_policy *policy, struct span body, struct pieces *ret) MUST_CHECK;
/*
 * An index may be the number of the event and not of a text: where it differs from event to event, the channel
 * becomes the path, and 0 for all other pieces. False: there are none of the kind, and nothing is changed.
 * order: for all pieces.
 */
bool redact_pieces_regroup(struct pieces *p, struct piece **order);
void redact_pieces_finish(struct pieces *p);
