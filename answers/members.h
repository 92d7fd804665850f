#pragma once
/*
 * members - members of an answer that no reader takes: those without content, and unknown ones.
 *
 * One table lists members without content. Outside of messages, numbers whose names say that they
 * are times or counts have none either; nor have objects beside or in the choices that hold nothing
 * else. Any other member with a value (not null, false or empty) marks the draft
 * READING_UNKNOWN_MEMBERS and adds its name there, because answers that differ only in it must not
 * count as identical. Answers with an error status have no content.
 */
#include "answers/draft.h"

/* Where a member is. */
enum member_place {
	MEMBER_OF_ANSWER,   /* beside the choices of chat and completions */
	MEMBER_OF_RESPONSE, /* beside the output of the Responses API */
	MEMBER_OF_NATIVE,   /* of an engine's own form, where the text stands too */
	MEMBER_OF_META,     /* of SGLang's "meta_info" */
	MEMBER_OF_DETAILS,  /* of TGI's "details" */
	MEMBER_OF_CHOICE,
	MEMBER_OF_MESSAGE, /* or of a delta */
	MEMBER_OF_CALL,
	MEMBER_OF_PART,    /* of a content that is a list */
	MEMBER_OF_THOUGHT, /* of reasoning that is an object */
	MEMBER_OF_ITEM,    /* of a Responses output */
	MEMBER_OF_EVENT,   /* of a Responses stream */
};

/* True unless the member is known to hold no content. */
bool members_hold(enum member_place place, const struct json_token *key, struct span value);
/* Skips a member that the reader does not take, and notes it. first: the first token of its
 * value. */
void members_pass(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* Notes a member that was already skipped, by its value. */
void members_note(
        struct draft *d, enum member_place place, const struct json_token *key, struct span value);
/* Notes a known member in an unknown form. An empty value is ignored. */
void members_unread(struct draft *d, enum member_place place, const char *name, struct span value);
/* Notes a part, item, call or event of an unknown type. */
void members_unknown(struct draft *d, enum member_place place, struct span type);
/* Drops all noted names except the first n, which have len bytes: the text turned out to have
 * another shape. */
void members_forget(struct draft *d, size_t n, size_t len);
/* Notes an event of an unknown type, unless its members hold no content. */
void members_event(struct draft *d, struct span text, struct span type);
