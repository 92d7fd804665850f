#pragma once
/*
 * canonical - the canonical form of JSON values, so that equal values have equal bytes
 * (docs/format.md).
 *
 * It has no insignificant space. The members of an object are sorted bytewise by their unescaped
 * keys; of members with the same key only the last one stays. Each string and each number has one
 * spelling. Time is linear in the text, except for sorting keys; memory is a small multiple of the
 * largest value. Zero-initialised is ready for use. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct canonical {
	bool keeps_numbers; /* set by the caller: numbers keep their spelling */
	struct buf text;    /* internal, down to `sorted`: the value, with members in their order */
	struct buf members; /* struct member: the members of the open objects */
	struct buf nodes;   /* struct node, in text order: objects whose members must be sorted */
	struct buf kept_members;
	struct buf kept_nodes;
	struct buf sorted; /* the final form, if it differs from text */
	bool repeats;      /* an object has a key twice */
	bool lossy;        /* a lone surrogate became U+FFFD: unequal values may have equal forms */
	/* set by the caller: the key of a member of the outermost object; empty: none */
	struct span watched;
	/* that member's canonical form, valid until the next call; empty if it is no scalar */
	struct span found;
	size_t found_from; /* internal */
};

/* Returns the canonical form of the value that begins with the token first, and moves j past the
 * value. The form is in c's memory until the next call. Empty: the text is malformed, or the value
 * is larger than 1 GiB. */
struct span canonical_value(struct canonical *c, struct json *j, const struct json_token *first);
void canonical_finish(struct canonical *c);
