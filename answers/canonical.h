#pragma once
/*
 * canonical - the canonical form of JSON values, so that equal values have equal bytes.
 *
 * No insignificant space; the members of an object sorted bytewise by their unescaped keys; of
 * members with the same key only the last one; one spelling for each string and number
 * (docs/format.md). Time is linear in the text, except for sorting keys; memory is bounded by the
 * largest value. Each struct canonical belongs to one thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct canonical {          /* zero-initialised is ready */
	struct buf text;    /* the value, with members still in their original order */
	struct buf members; /* struct member: of the open objects */
	struct buf nodes;   /* struct node: objects whose members must be sorted, in text order */
	struct buf kept_members;
	struct buf kept_nodes;
	struct buf sorted;   /* the final form, if it differs from text */
	bool repeats;        /* an object repeats a key, so text is not final */
	struct span watched; /* key of a member of the outermost object; its value, if a scalar, */
	struct span found;   /* is stored in `found` in canonical form; empty: not found */
	size_t found_from;   /* internal */
};

/*
 * Reads one value, whose first token is passed. The bytes belong to c until the next call. Empty:
 * the text is malformed, or the value is larger than 1 GiB.
 */
struct span canonical_value(struct canonical *c, struct json *j, const struct json_token *first);
void canonical_finish(struct canonical *c);

/* The canonical form of one string or number, appended to `to`. */
void canonical_string(struct buf *to, const struct json_token *t);
void canonical_number(struct buf *to, const struct json_token *t);
