#pragma once
/*
 * members - finds members of an answer that may hold content and that no reader reads, because
 * answers that differ only in such a member must not count as identical.
 *
 * Such a member marks the draft READING_UNKNOWN_MEMBERS and adds its name to draft.unknown. A
 * member holds no content if its value is null, false or empty, or if the table in members.c lists
 * it. Outside of messages, a number whose name says that it is a time or a count holds none, and
 * neither does an object that has only such members. Answers with an error status have no content.
 */
#include "answers/draft.h"

/* Where a member is. */
enum member_place {
	MEMBER_OF_ANSWER,   /* at the top level of a chat or completion */
	MEMBER_OF_RESPONSE, /* at the top level of a response of the Responses API */
	MEMBER_OF_NATIVE,   /* at the top level of an engine's own form */
	MEMBER_OF_META,     /* in SGLang's "meta_info" */
	MEMBER_OF_DETAILS,  /* in TGI's "details" */
	MEMBER_OF_CHOICE,
	MEMBER_OF_MESSAGE, /* in a message or a delta */
	MEMBER_OF_CALL,
	MEMBER_OF_PART,    /* in an element of a content that is a list */
	MEMBER_OF_THOUGHT, /* in reasoning that is an object */
	MEMBER_OF_ITEM,    /* in an output item of the Responses API */
	MEMBER_OF_EVENT,   /* in an event of a Responses stream */
};

/* Whether the value contains a text that is not empty, a number or "true". */
bool members_has_value(struct span value);
/* True unless the member is known to hold no content. */
bool members_may_hold(enum member_place place, const struct json_token *key, struct span value);
/* Skips a member that the reader does not read, and adds its name if it may hold content. first:
 * the first token of its value. */
void members_skip(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* As members_skip(), for a member that was already skipped. */
void members_check(
        struct draft *d, enum member_place place, const struct json_token *key, struct span value);
/* Adds a known member whose value has an unknown form, unless the value is empty. */
void members_add_unread(
        struct draft *d, enum member_place place, const char *name, struct span value);
/* Adds a part, item, call or event of an unknown type. */
void members_add_unknown(struct draft *d, enum member_place place, struct span type);
/* Drops all names except the first n, which have len bytes together. For a text that turned out
 * to have another shape. */
void members_drop(struct draft *d, size_t n, size_t len);
/* Adds an event of an unknown type, unless its members hold no content. text: the event's data. */
void members_check_event(struct draft *d, struct span text, struct span type);
