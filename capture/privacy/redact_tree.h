#pragma once
/*
 * redact_tree - a JSON document as a list of nodes, parents before children, read without insisting that it be one.
 *
 * What is redacted must be found in broken documents too: an answer that was cut off, an engine's slip. So
 * nothing is refused but depth and number: what is wrong is passed over, and said in `malformed`, which is
 * false only if the document follows JSON's grammar outside of its strings. Strings
 * end at their quotation mark, at a line's end (JSON has none in them), or with the text.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/claim.h"

#define REDACT_NO_NODE UINT32_MAX

enum redact_kind {
	REDACT_OBJECT,
	REDACT_ARRAY,
	REDACT_KEY,
	REDACT_STRING,
	REDACT_NUMBER,
	REDACT_WORD, /* true, false, null, and what is none of these */
};

struct redact_node {
	uint32_t at, len; /* in the text; of a string and a key what is within the quotes */
	uint32_t parent;  /* its object or array */
	uint32_t key;     /* its name in the parent, a node; of what has none REDACT_NO_NODE */
	uint32_t index;   /* among the parent's children, keys not counted */
	uint8_t kind;
	/* For who looks at it afterwards: */
	bool only_numbers; /* an object or array: of its values each is a number, and there is one */
	uint16_t flags;
	uint32_t box, pos;
	uint64_t hash, path, mark;
};

struct redact_tree {
	struct claim *claim; /* what the nodes take is on it, and stays so when they are freed */
	struct redact_node *items;
	size_t n, cap;
	bool malformed;
};

/*
 * Reads the value that begins at text[at] ({, [ or a quotation mark) into t, which is emptied first. The
 * offset behind it; -E2BIG: too deep, or too many nodes; -ENOMEM: more than the claim has room for. A line that
 * begins with "data:" ends it.
 */
int64_t redact_tree_read(struct redact_tree *t, struct span text, size_t at) MUST_CHECK;
void redact_tree_finish(struct redact_tree *t);
