#pragma once
/*
 * redact_places - finds the meaning of each node's place in a document: whether a policy names it,
 * whether it belongs to an answer's tokens, and to which text it belongs. For the modules that
 * redact only.
 *
 * The meaning follows from names and positions, not from the endpoint: engines have many forms, and
 * an unknown form must not leak a secret.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/privacy/redact_policy.h"
#include "capture/privacy/redact_tree.h"

enum place_flag {
	PLACE_COVERED = 1 << 0, /* it is in a piece made of its list, so it gets no own piece */
	PLACE_PRIVATE = 1 << 1,
	PLACE_ALTERNATIVE = 1 << 2,
	PLACE_BLANK = 1 << 3,   /* tokens of a prompt */
	PLACE_OF_USER = 1 << 4, /* a user chose the names, texts and numbers inside */
};

#define REDACT_CALLS_LIMIT 64 /* further calls are told apart by index or position only */

/* A tool call that had an id, so that later pieces with this id belong to it. choice, id: hashes.
 * mark: redact_node.mark of its pieces. */
struct redact_call {
	uint64_t choice, id, mark;
	uint32_t index; /* its last place in the list */
};

/* Zero-initialise it, and set policy, and text and claim of the tree. */
struct redact_places {
	const struct redact_policy *policy;
	struct redact_tree tree; /* the current document, with flags, hash and path set */
	uint32_t document;       /* the document's index in the body, from 1 */
	/* in the order in which they were continued last */
	struct redact_call calls[REDACT_CALLS_LIMIT];
	size_t n_calls;
};

/* Reads the next document, which begins at offset `at` of tree.text. Returns as
 * redact_tree_read(). */
int64_t redact_places_read(struct redact_places *p, size_t at) MUST_CHECK;

/* The position of the token to which the node belongs; 0: none, or a prompt's token. */
uint64_t redact_place_slot(const struct redact_places *p, const struct redact_node *n);
/* For documents from which all private texts are removed: true for a text that belongs to the
 * document's form and therefore stays. */
bool redact_place_is_form(const struct redact_places *p, const struct redact_node *n);
/* True for a number that is a count or a measure, and so not private. */
bool redact_place_is_measure(const struct redact_places *p, const struct redact_node *n);
/* True for a prompt or an answer that contains token ids; these cannot be searched for words. */
bool redact_place_has_ids(struct redact_places *p, size_t i);
/* True if node i contains only numbers and lists of numbers. */
bool redact_place_is_numeric(const struct redact_places *p, size_t i);
/* True for a name that is a token's id: only digits. */
bool redact_place_is_id(struct span name);
