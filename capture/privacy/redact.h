#pragma once
/*
 * redact - replaces private text in bodies, byte for byte, before they are stored.
 *
 * A policy says what is private: known forms of secrets (secret_scan.h), the user's patterns
 * (pattern.h), members of JSON documents by name, or everything. A replacement has the same number
 * of bytes and characters. JSON stays JSON, and the body can still be read as before: texts, token
 * columns and alternatives stay aligned. A secret is found within a string, across the events of a
 * stream, and across the tokens of an answer; the alternatives of a replaced token are replaced,
 * too. redact_fill.h defines the placeholders.
 *
 * What cannot be examined is not stored: bytes that are no text, documents that are too deep or too
 * large, a body for which a user's pattern takes too long. Token ids of prompts and answers are
 * text in another form, and become 0.
 *
 * One thread makes a policy; then any thread reads it. A policy is reference-counted. A redaction
 * belongs to one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/privacy/redact_fill.h"
#include "capture/privacy/secret_scan.h"

struct redact_policy;
struct budget;

/* secrets: a set of bits (1u << enum secret) */
struct redact_policy *redact_policy_create(unsigned secrets);
struct redact_policy *redact_policy_ref(struct redact_policy *p); /* NULL is fine */
void redact_policy_unref(struct redact_policy *p);
/* Adds a regular expression. Returns NULL, or a sentence that says why it is refused. */
char *redact_policy_add_pattern(struct redact_policy *p, const char *expression) MUST_CHECK;
/*
 * Adds a member by its path: names joined by dots, outermost first, such as "user",
 * "metadata.email", "messages.content". The path selects every member whose full path ends with
 * these names; arrays have no name, and * matches any name. Everything in the member is replaced.
 * Returns as redact_policy_add_pattern().
 */
char *redact_policy_add_member(struct redact_policy *p, const char *path) MUST_CHECK;
/* Makes all texts private, except those of a document's form (role, type, finish_reason, ...). */
void redact_policy_everything(struct redact_policy *p);

struct redact_counts {
	uint64_t secrets[N_SECRETS];
	uint64_t patterns, members; /* matches of the user's patterns; members by path */
	uint64_t alternatives;      /* alternatives of replaced tokens */
	uint64_t ids;               /* lists of token ids or of prompt tokens */
	uint64_t refused;           /* bodies that cannot be examined */
	uint64_t no_room;           /* bodies for whose examination the budget has no room */
};
/* The number of replacements: secrets, patterns, members and ids. */
uint64_t redact_counts_sum(const struct redact_counts *c);
void redact_counts_add(struct redact_counts *to, const struct redact_counts *c);

struct redaction {
	const struct redact_policy *policy;
	struct budget *budget;        /* memory for examining a body; NULL: no limit */
	uint8_t key[REDACT_KEY_SIZE]; /* equal texts get equal placeholders under this key */
	struct redact_counts counts;
};

/*
 * Redacts a body in place. False: it must not be stored, because it could not be examined or the
 * budget has no room; its content is then undefined.
 */
bool redact_body(struct redaction *r, char *body, size_t len) MUST_CHECK;
/* Redacts a text that is no document, such as a head or a name; all of it becomes '?' if it cannot
 * be examined. The caller limits its length; the budget does not count the memory for it. */
void redact_text(struct redaction *r, char *text, size_t len);
