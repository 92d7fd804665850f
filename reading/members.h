#pragma once
/*
 * members - the members of an answer's documents that no reader takes: either they hold none of
 * the answer's content, or nobody knows what they hold.
 *
 * One table lists those without content. Any other member with a value marks the draft
 * READING_UNKNOWN_MEMBERS and leaves its name there, because answers that differ in it alone must
 * not count as identical.
 */
#include "reading/draft.h"

/* Where a member stands. */
enum member_place {
	MEMBER_OF_ANSWER, /* beside the choices or the output: only a list can hold content there */
	MEMBER_OF_NATIVE, /* the same of an engine's own form, where the text stands too */
	MEMBER_OF_CHOICE, /* here and above, numbers and booleans are no content */
	MEMBER_OF_MESSAGE, /* or of a delta */
	MEMBER_OF_CALL,
	MEMBER_OF_PART,    /* of a content that is a list */
	MEMBER_OF_THOUGHT, /* of reasoning that is an object */
	MEMBER_OF_ITEM,    /* of a Responses output */
	MEMBER_OF_EVENT,   /* of a Responses stream */
};

/* Reads past a member that the reader does not take. first: its value's first token. */
void members_pass(struct draft *d, enum member_place place, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* The value of a member that is known, but not in this form. An empty one is nothing. */
void members_unread(struct draft *d, enum member_place place, const char *name, struct span value);
/* A part, item, call or event whose type is not known. */
void members_unknown(struct draft *d, enum member_place place, struct span type);
/* An event of a type that is not known, text: nothing if its members hold no content. */
void members_event(struct draft *d, struct span text, struct span type);
