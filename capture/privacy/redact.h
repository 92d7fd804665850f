#pragma once
/*
 * redact - bodies of requests and answers with what is private in them replaced, byte for byte, before they are kept.
 *
 * A policy says what is private: shapes (secrets.h), own patterns (pattern.h), members of JSON documents by
 * name, or everything. What is replaced has as many bytes, and as many characters, as before; JSON stays
 * JSON, and every reading of the body stays possible: texts, token columns and alternatives stay
 * aligned. A secret is found in a string, in a stream's events where they are put together, and in the
 * tokens of an answer where they are; the alternatives of a token that is replaced are replaced with it. See
 * redact_fill.h for what stands there then.
 *
 * What can't be looked into is not kept: bytes that are no text, documents too deep or too large, an own
 * pattern that takes too long. Token ids of prompts and answers, which are text by other means, become 0.
 *
 * A policy is counted, made by one thread and then only read, by any. A redaction belongs to one thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/privacy/redact_fill.h"
#include "capture/privacy/secrets.h"

struct redact_policy;
struct budget;

struct redact_policy *redact_policy_create(unsigned secrets);     /* bits of enum secret */
struct redact_policy *redact_policy_ref(struct redact_policy *p); /* NULL is fine */
void redact_policy_unref(struct redact_policy *p);
/* NULL, or why it is refused: a sentence, the caller's. */
char *redact_policy_add_pattern(struct redact_policy *p, const char *expression) MUST_CHECK;
/*
 * Names joined by dots, from the outside to the inside, as the end of a member's place: "user",
 * "metadata.email", "messages.content". Arrays have no name, * is any name. All that is in the member goes.
 */
char *redact_policy_add_member(struct redact_policy *p, const char *path) MUST_CHECK;
/* All texts but those that give a document its form (role, type, finish_reason, ...). */
void redact_policy_everything(struct redact_policy *p);

struct redact_counts {
	uint64_t secrets[N_SECRETS];
	uint64_t patterns, members; /* matches of own patterns; members */
	uint64_t alternatives;      /* of tokens that were replaced */
	uint64_t ids;               /* lists of token ids */
	uint64_t refused;           /* bodies that can't be looked into */
	uint64_t no_room;           /* bodies that the budget has no room to look into */
};
uint64_t redact_counts_sum(const struct redact_counts *c);
void redact_counts_add(struct redact_counts *to, const struct redact_counts *c);

struct redaction {
	const struct redact_policy *policy;
	struct budget *budget;        /* of what a body makes it hold; NULL: no limit */
	uint8_t key[REDACT_KEY_SIZE]; /* equal texts have equal placeholders under it */
	struct redact_counts counts;
};

/*
 * In place. False: it can't be kept, for it could not be looked into, or the budget has no room for what that takes
 * beside the body itself; what it holds then is of no use.
 */
bool redact_body(struct redaction *r, char *body, size_t len) MUST_CHECK;
/* A text that is no document: a head, a name. Its length is limited by who asked for it, and with it what it
 * takes, which is not counted. */
void redact_text(struct redaction *r, char *text, size_t len);
