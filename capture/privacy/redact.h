#pragma once
/*
 * redact - replaces private text in bodies of requests and answers, byte for byte, before they are
 * stored.
 *
 * A policy says what is private: known forms of secrets (secret_scan.h), the user's patterns
 * (pattern.h), members of JSON documents by name, or everything. A replacement has the same number
 * of bytes and characters. JSON stays JSON, and every reading of the body stays possible: texts,
 * token columns and alternatives stay aligned. A secret is found within a string, across the events
 * of a stream, and across the tokens of an answer; the alternatives of a replaced token are
 * replaced too. redact_fill.h defines the placeholders.
 *
 * What cannot be examined is not stored: bytes that are no text, documents that are too deep or too
 * large, a pattern of the user's that takes too long. Token ids of prompts and answers, which are
 * text in another form, become 0.
 *
 * A policy is reference-counted, made by one thread and then only read, by any thread. A redaction
 * belongs to one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/privacy/redact_fill.h"
#include "capture/privacy/secret_scan.h"

struct redact_policy;
struct budget;

struct redact_policy *redact_policy_create(unsigned secrets);     /* bits of enum secret */
struct redact_policy *redact_policy_ref(struct redact_policy *p); /* NULL is fine */
void redact_policy_unref(struct redact_policy *p);
/* Returns NULL, or why it is refused: a sentence that the caller frees. */
char *redact_policy_add_pattern(struct redact_policy *p, const char *expression) MUST_CHECK;
/*
 * Adds a member by its path: names joined by dots, outermost first, such as "user",
 * "metadata.email", "messages.content". It selects every member whose full path ends with these
 * names. Arrays have no name, and * matches any name. Everything in the member is replaced.
 */
char *redact_policy_add_member(struct redact_policy *p, const char *path) MUST_CHECK;
/* Makes all texts private except those that give a document its form (role, type, finish_reason,
 * ...). */
void redact_policy_everything(struct redact_policy *p);

struct redact_counts {
	uint64_t secrets[N_SECRETS];
	uint64_t patterns, members; /* matches of the user's patterns; members */
	uint64_t alternatives;      /* alternatives of replaced tokens */
	uint64_t ids;               /* lists of token ids */
	uint64_t refused;           /* bodies that cannot be examined */
	uint64_t no_room;           /* bodies whose examination does not fit the budget */
};
uint64_t redact_counts_sum(const struct redact_counts *c);
void redact_counts_add(struct redact_counts *to, const struct redact_counts *c);

struct redaction {
	const struct redact_policy *policy;
	struct budget *budget;        /* for the memory that a body needs; NULL: no limit */
	uint8_t key[REDACT_KEY_SIZE]; /* equal texts get equal placeholders under this key */
	struct redact_counts counts;
};

/*
 * Redacts a body in place. False: it must not be stored, since it could not be examined or the
 * budget is too small; its content is then undefined.
 */
bool redact_body(struct redaction *r, char *body, size_t len) MUST_CHECK;
/* Redacts a text that is not a document: a head, a name. The caller limits its length, and the
 * memory that this needs is not counted. */
void redact_text(struct redaction *r, char *text, size_t len);
