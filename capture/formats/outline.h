#pragma once
/*
 * outline - reads a JSON document in a file piece by piece: outer arrays and objects are entered,
 * inner ones come as whole values.
 *
 * Result files are one document of any size, or several in a row; this holds one value at a time,
 * of at most OUTLINE_LIMIT bytes. Rules say which members are entered, by key. It checks that
 * brackets and quotes match and leaves the rest to the reader of the values. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define OUTLINE_LIMIT ((size_t)64 << 20)
#define OUTLINE_DEPTH 8

struct outline_rule {
	const char *key; /* key of a member that is an array or object; NULL: the document itself */
	bool elements;   /* also enter objects that are its elements */
};

enum outline_type {
	OUTLINE_END,   /* end of the file; only white space followed */
	OUTLINE_ERROR, /* `why` says what is wrong; every later call returns it again */
	/* `why` says what is wrong with one element or document; reading continues
	 * (outline_allow_gaps()) */
	OUTLINE_DAMAGED,
	OUTLINE_OPEN, /* an array or object that is entered */
	OUTLINE_CLOSE,
	OUTLINE_VALUE,
};

struct outline_event {
	enum outline_type type;
	bool is_array;     /* OPEN, CLOSE */
	bool too_long;     /* VALUE: too long, skipped */
	struct span key;   /* of a member, as written between its quotes; elements have none */
	struct span value; /* VALUE: its text; valid until the next call, like the key */
	unsigned depth;    /* depth of its container: 0 for the document */
	uint64_t line;     /* first line, from 1 */
	const char *why;
};

struct outline;

/* The caller owns the file and the rules. */
struct outline *outline_create(FILE *file, const struct outline_rule *rules, size_t n_rules);
/* allows several documents; otherwise a second one is an error */
void outline_allow_many(struct outline *o);
/*
 * After an element or document whose brackets or quotes do not match, continue at the next line
 * that begins like the damaged one: with the same indentation and a brace. The containers of the
 * damaged element are assumed to be still open; those that are not are closed without an event.
 * Only for files that can be read twice, and at most OUTLINE_GAPS times. If the damaged element did
 * not begin at the start of a line, it is delivered up to the place where its end is found, and the
 * reader judges it. Between two elements that each begin a line, a comma may be missing.
 */
#define OUTLINE_GAPS 100
void outline_allow_gaps(struct outline *o);
void outline_next(struct outline *o, struct outline_event *ret);
void outline_destroy(struct outline *o); /* NULL is fine */
