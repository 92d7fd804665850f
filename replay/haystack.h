#pragma once
/*
 * haystack - long texts made of a seed, with given sentences hidden in them: what a suite's line says in a
 * few words becomes 4 to 64 thousand tokens, the same bytes on every machine.
 *
 * Tokens are guessed by their bytes, see haystack_bytes(). The filler is English of our own words and holds nothing that a
 * question could be about: no codes, no passwords, no names of the needles' making. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define HAYSTACK_NEEDLES_LIMIT 64
#define HAYSTACK_TOKENS_LIMIT (UINT32_C(1) << 18)

enum haystack_style {
	HAYSTACK_PROSE,   /* paragraphs */
	HAYSTACK_LOG,     /* a service's log lines */
	HAYSTACK_LEDGER,  /* rows of a purchase ledger */
	HAYSTACK_MINUTES, /* numbered items of meetings */
	HAYSTACK_CODE,    /* small Python functions */
	N_HAYSTACK_STYLES,
};

struct haystack_needle {
	double at; /* 0: at the beginning, 1: at the end */
	struct span text;
};

struct haystack {
	enum haystack_style style;
	uint32_t tokens;
	uint64_t seed;
	struct haystack_needle needles[HAYSTACK_NEEDLES_LIMIT]; /* in the order of their places */
	size_t n_needles;
};

bool haystack_style_parse(struct span name, enum haystack_style *ret) MUST_CHECK;
unsigned haystack_bytes(enum haystack_style style); /* that are taken for a token: 3 to 5 */
/* Appends as many bytes as make the tokens, and not a paragraph more; each needle stands on lines of its own. */
void haystack_make(const struct haystack *h, struct buf *to);
