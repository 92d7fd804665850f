#pragma once
/*
 * members - the members of an answer's documents that no reader takes: either they hold none of
 * the answer's content, or nobody knows what they hold.
 *
 * One table lists those without content. Numbers whose names say that they are times or counts have
 * none either, except within a message, and nor have objects beside the choices or in one that hold
 * nothing else. Any other member with a value, which is what is not null, false or empty, marks the
 * draft READING_UNKNOWN_MEMBERS and leaves its name there, because answers that differ in it alone
 * must not count as identical. Answers with an error status have no content.
 */
#include "answers/draft.h"

/* Where a member stands. */
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

/* Does this member hold content, as far as is known? */
bool members_hold(enum member_place place, const struct json_token *key, struct span value);
/* Reads past a member that the reader does not take. first: its value's first token. */
void members_pass(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* The same of a member that was passed: its value. */
void members_note(
        struct draft *d, enum member_place place, const struct json_token *key, struct span value);
/* The value of a member that is known, but not in this form. An empty one is nothing. */
void members_unread(struct draft *d, enum member_place place, const char *name, struct span value);
/* A part, item, call or event whose type is not known. */
void members_unknown(struct draft *d, enum member_place place, struct span type);
/* Takes back all names but the first n, which have len bytes: the text was of another shape. */
void members_forget(struct draft *d, size_t n, size_t len);
/* An event of a type that is not known, text: nothing if its members hold no content. */
void members_event(struct draft *d, struct span text, struct span type);
