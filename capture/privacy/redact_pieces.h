#pragma once
/*
 * redact_pieces - a body as pieces: strings, keys, numbers, lists of bytes, and what is none of these. Private to the
 * modules that redact.
 *
 * Pieces that spell one text together, over the events of a stream or the tokens of an answer, have the same channel.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/claim.h"
#include "capture/privacy/redact_places.h"

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
	struct claim *claim; /* what they take is on it, and stays so when they are freed */
	struct piece *items;
	size_t n, cap;
	int error; /* -E2BIG, -ENOMEM: these are not all */
	bool has_tokens, has_private;
	struct piece nowhere; /* one that there is no room for */
};

/* One more; what it belongs to is for the caller to set, until the next is added. Never NULL. */
struct piece *redact_pieces_add(
        struct pieces *p, size_t at, size_t len, enum redact_spelling how, unsigned flags);
/* Those of the document that the places are of; they look on what the policy says. */
void redact_pieces_add_document(struct pieces *p, struct redact_places *places);
/*
 * An index may be the number of the event and not of a text: where it differs from event to event, the channel
 * becomes the path, and 0 for all other pieces. False: there are none of the kind, and nothing is changed.
 * order: for all pieces.
 */
bool redact_pieces_regroup(struct pieces *p, struct piece **order);
void redact_pieces_finish(struct pieces *p);
