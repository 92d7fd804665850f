#pragma once
/*
 * canonical - JSON values spelled in one fixed way, so that equal values have equal bytes.
 *
 * No insignificant space; the members of an object sorted bytewise by their unescaped keys, the
 * last of duplicates kept; strings and numbers in one spelling (prompt_hash.c tells which). Time is
 * linear in the text, the sorting of keys aside; memory is bounded by the largest value. One thread
 * a writer.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct canonical {          /* zero-initialised is ready */
	struct buf text;    /* the value, objects' members still in the order in which they came */
	struct buf members; /* struct member: of the objects under way */
	struct buf nodes;   /* struct node: objects that need another order, in text order */
	struct buf kept_members;
	struct buf kept_nodes;
	struct buf sorted; /* the value in its final form, if it differs from text */
	bool repeats;      /* a key came twice in one object: not all of the text is in the form */
	struct span watched; /* a key: the outermost object's scalar under it is ... */
	struct span found;   /* ... this, in canonical form; empty if it has none */
	size_t found_from;   /* internal */
};

/*
 * Reads one value whose first token was given. The bytes live in c until the next call. An empty
 * span: the text is malformed, or the value is larger than 1 GiB.
 */
struct span canonical_value(struct canonical *c, struct json *j, const struct json_token *first);
void canonical_finish(struct canonical *c);

/* Parts of it, each appended to `to`. */
void canonical_string(struct buf *to, const struct json_token *t);
void canonical_number(struct buf *to, const struct json_token *t);
