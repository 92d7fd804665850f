#pragma once
/*
 * failure - the error that an answer reports, in whichever member.
 */
#include "answers/draft.h"

/* Members that may report an error, until the whole document is read. */
struct failure {
	struct json_token message, detail;
	struct span detail_span;
	bool object_is_error; /* "object": "error" */
	bool has_answer;      /* the document has choices or their equivalent */
};

/* Reads "error": {"message": ...}, a string, or anything not null. j is then after the value. */
void failure_read(struct draft *d, struct json *j, const struct json_token *first);
/* Reads one member outside of the current shape: error, detail, message or object. False: it is
 * none of them, and j is unchanged. */
bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* After the document `text`: uses what f holds if there was no "error". */
void failure_settle(struct draft *d, const struct failure *f, struct span text, bool is_error);
