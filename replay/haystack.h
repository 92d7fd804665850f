#pragma once
/*
 * haystack - makes long texts with given sentences ("needles") hidden in them. The same struct
 * gives the same bytes on every machine, so a suite can ask for 64 thousand tokens in a few words.
 *
 * The number of tokens is estimated from the number of bytes (haystack_bytes()). The text around
 * the needles is plain English without codes, passwords or names, so that no question can be about
 * it. Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define HAYSTACK_NEEDLES_LIMIT 64
#define HAYSTACK_TOKENS_LIMIT (UINT32_C(1) << 18) /* the caller checks it */

enum haystack_style {
	HAYSTACK_PROSE,   /* paragraphs */
	HAYSTACK_LOG,     /* a service's log lines */
	HAYSTACK_LEDGER,  /* rows of a purchase ledger */
	HAYSTACK_MINUTES, /* numbered items of meetings */
	HAYSTACK_CODE,    /* small Python functions */
	N_HAYSTACK_STYLES,
};

struct haystack_needle {
	double at; /* place in the text; 0: at the beginning, 1: at the end */
	struct span text;
};

struct haystack {
	enum haystack_style style;
	uint32_t tokens;
	uint64_t seed;
	struct haystack_needle needles[HAYSTACK_NEEDLES_LIMIT]; /* ordered by `at` */
	size_t n_needles;
};

/* False: no style has this name. */
bool haystack_style_parse(struct span name, enum haystack_style *ret) MUST_CHECK;
/* the number of bytes that count as one token in this style: 3 to 5 */
unsigned haystack_bytes(enum haystack_style style);
/* Appends a text of about h->tokens tokens; it may be longer by one paragraph and the needles.
 * Each needle has lines of its own. */
void haystack_make(const struct haystack *h, struct buf *to);
