#pragma once
/*
 * redact_tree - parses a JSON document leniently into a list of nodes, parents before children. For
 * the modules that redact only.
 *
 * Secrets must also be found in broken documents: an answer that was cut off, or an engine's error.
 * So it refuses a document only if it is too deep or has too many nodes. It skips errors and sets
 * `malformed`, which is false only if the document follows the JSON grammar outside of strings. A
 * string ends at its quotation mark, at the end of a line (JSON strings contain none), or at the
 * end of the text.
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
	REDACT_WORD, /* true, false, null, and anything else */
};

struct redact_node {
	uint32_t at, len; /* in the text; of a string or a key: without the quotes */
	uint32_t parent;  /* index of its object or array */
	uint32_t key;     /* index of the node with its name; REDACT_NO_NODE: none */
	uint32_t index;   /* among the parent's children, without keys */
	uint8_t kind;
	/* Set by redact_places.h, except only_numbers. box, pos: the node around an answer's
	 * tokens, and the token's position there, or REDACT_NO_NODE. hash, path: channel and path
	 * of the node's text (redact_pieces.h). mark: tells choices and tool calls apart. */
	bool only_numbers; /* an object or array whose values are all numbers, at least one */
	uint16_t flags;
	uint32_t box, pos;
	uint64_t hash, path, mark;
};

struct redact_tree {
	struct span text;
	struct claim *claim; /* counts the memory; freeing it does not reduce the claim */
	struct redact_node *items;
	size_t n, cap;
	bool malformed;
	struct buf name; /* working memory */
	int error;       /* -ENOMEM: some names are missing */
};

/*
 * Parses the value that begins at t->text.data[at] ({, [ or a quotation mark) and replaces the
 * nodes in t. Before the first call the caller sets text and claim, which must outlive t; the text
 * has less than 4 GiB. Returns the offset after the value; -E2BIG: too deep, or too many nodes;
 * -ENOMEM: the claim's budget has no room. A line that begins with "data:" ends the value.
 */
int64_t redact_tree_read(struct redact_tree *t, size_t at) MUST_CHECK;
void redact_tree_finish(struct redact_tree *t);

/* The raw bytes of a node. */
struct span redact_tree_raw(const struct redact_tree *t, const struct redact_node *n);
/* The member's name, without escapes; empty: the node has none. Valid until the next call. */
struct span redact_tree_name(struct redact_tree *t, const struct redact_node *n);
/* The node's parent; NULL: none. */
struct redact_node *redact_tree_parent(const struct redact_tree *t, const struct redact_node *n);
/* The offset of the quotation mark or line feed that ends the string whose content begins at
 * offset `at`; text.len if none does. */
size_t redact_tree_string_end(struct span text, size_t at);
