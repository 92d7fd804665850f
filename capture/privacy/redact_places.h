#pragma once
/*
 * redact_places - where the nodes of a document stand: in what a policy names, among an answer's tokens, in which text.
 * Private to the modules that redact.
 *
 * What members mean is told by their names and by where they are, not by the endpoint: engines have many forms,
 * and a form that nobody knows must not let a secret through.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/privacy/redact_policy.h"
#include "capture/privacy/redact_tree.h"

enum place_flag {
	PLACE_TOLD = 1 << 0, /* a piece of its parent's tells of it */
	PLACE_PRIVATE = 1 << 1,
	PLACE_ALTERNATIVE = 1 << 2,
	PLACE_BLANK = 1 << 3,   /* tokens of a prompt */
	PLACE_FOREIGN = 1 << 4, /* names, texts and numbers in it are somebody's */
};

struct redact_places {
	const struct redact_policy *policy;
	struct span body;
	struct redact_tree tree; /* of the document at hand, with flags, hash and path set */
	uint32_t document;       /* its number in the body */
	struct buf name;         /* scratch */
	int error;               /* -ENOMEM: some names are not known */
};

/* What it takes is on the claim, and stays so when it is freed. */
void redact_places_init(struct redact_places *p, const struct redact_policy *policy,
        struct span body, struct claim *claim);
void redact_places_finish(struct redact_places *p);
/* The next document, which begins at body[at]; as redact_tree_read(), or -ENOMEM. */
int64_t redact_places_read(struct redact_places *p, size_t at) MUST_CHECK;

/* Of its nodes. */
struct span redact_place_raw(const struct redact_places *p, const struct redact_node *n);
/* The name as a member, unescaped where it was written in a way that hides it; empty without one. Valid until
 * the next call. */
struct span redact_place_name(struct redact_places *p, const struct redact_node *n);
/* What holds it; NULL: nothing does. */
const struct redact_node *redact_place_parent(
        const struct redact_places *p, const struct redact_node *n);
const struct redact_node *redact_place_first_child(const struct redact_places *p, size_t i);
/* The token position; 0: it has none. */
uint64_t redact_place_slot(const struct redact_places *p, const struct redact_node *n);
/* A text that gives a document its form, where all others go. */
bool redact_place_is_form(const struct redact_places *p, const struct redact_node *n);
/* A number that counts or measures something, and tells nothing of anybody. */
bool redact_place_is_measure(const struct redact_places *p, const struct redact_node *n);
/* Prompts and answers as numbers, or with numbers among them: nobody can look into these. */
bool redact_place_has_ids(struct redact_places *p, size_t i);
/* In it is nothing but numbers, and lists of them. */
bool redact_place_is_numeric(const struct redact_places *p, size_t i);
/* A name that is a token's id: digits alone. */
bool redact_place_is_id(struct span name);
