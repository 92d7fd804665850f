#pragma once
/*
 * outline - a JSON document in a file, read piece by piece: its outer arrays and objects are walked
 * into, what is inside comes as whole values.
 *
 * Result files are one document of any size, or several, one after another; this holds one value at a time, of at most
 * OUTLINE_LIMIT bytes. The rules say what is walked into, by the key of the member that holds it. It
 * checks that brackets and quotes match, and leaves the rest to whoever reads the values. One thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

#define OUTLINE_LIMIT ((size_t)64 << 20)
#define OUTLINE_DEPTH 8

struct outline_rule {
	const char *key; /* of a member that is an array or object; NULL: the document itself */
	bool elements;   /* walk into objects that are its elements too */
};

enum outline_type {
	OUTLINE_END,   /* of the file; only space followed */
	OUTLINE_ERROR, /* why says what is wrong; every later call gives it again */
	OUTLINE_DAMAGED, /* so does it of one element or document, and the next comes; outline_allow_gaps() */
	OUTLINE_OPEN, /* an array or object that is walked into */
	OUTLINE_CLOSE,
	OUTLINE_VALUE,
};

struct outline_event {
	enum outline_type type;
	bool is_array;   /* OPEN, CLOSE */
	bool too_long;   /* VALUE: it was read past */
	struct span key; /* of a member, as it is written between its quotes; elements have none */
	struct span value; /* VALUE: its text; valid until the next call, as the key is */
	unsigned depth;    /* of what holds it: 0 for the document */
	uint64_t line;     /* where it begins, from 1 */
	const char *why;
};

struct outline;

/* The file and the rules stay the caller's. */
struct outline *outline_create(FILE *file, const struct outline_rule *rules, size_t n_rules);
void outline_allow_many(struct outline *o); /* documents; else a second one is an error */
/*
 * Of an element or document whose brackets or quotes do not match, goes on with the next line that begins as its own did:
 * with so many blanks and a brace. Whatever held it is taken to be there still, and is closed without an event where the
 * damage was deeper. Files that can be read again alone, and OUTLINE_GAPS times.
 * An element that did not begin its line comes as it is wherever its end is found, for whoever reads it to judge; and a
 * comma may be missing between two that did.
 */
#define OUTLINE_GAPS 100
void outline_allow_gaps(struct outline *o);
void outline_next(struct outline *o, struct outline_event *ret);
void outline_destroy(struct outline *o); /* NULL is fine */
