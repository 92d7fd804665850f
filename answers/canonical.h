#pragma once
/*
 * canonical - the canonical form of JSON values, so that equal values have equal bytes
 * (docs/format.md).
 *
 * It has no insignificant space. The members of an object are sorted bytewise by their unescaped
 * keys; of members with the same key only the last one stays. Each string and each number has one
 * spelling. Time is linear in the text, except for sorting keys; memory is bounded by the largest
 * value. Each struct canonical belongs to one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct canonical {          /* zero-initialised is ready for use */
	bool keeps_numbers; /* set by the caller: numbers keep their spelling */
	struct buf text;    /* the value, with members in their original order */
	/* internal, as the next four: struct member, the members of the open objects */
	struct buf members;
	struct buf nodes; /* struct node, in text order: objects whose members must be sorted */
	struct buf kept_members;
	struct buf kept_nodes;
	struct buf sorted; /* the final form, if it differs from text */
	bool repeats;      /* an object repeats a key, so text is not final */
	bool lossy;        /* a lone surrogate became U+FFFD: unequal values may have equal forms */
	/* The key of a member of the outermost object. If that member is a scalar,
	 * canonical_value() stores its canonical form in `found`; otherwise `found` is empty. */
	struct span watched;
	struct span found;
	size_t found_from; /* internal */
};

/*
 * Reads one value, whose first token is passed, and returns its canonical form, which belongs to c
 * until the next call. Empty: the text is malformed, or the value is larger than 1 GiB.
 */
struct span canonical_value(struct canonical *c, struct json *j, const struct json_token *first);
void canonical_finish(struct canonical *c);
