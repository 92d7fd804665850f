#pragma once
/*
 * failure - reads the error that an answer reports, under any of the names that engines use.
 */
#include "answers/draft.h"

/* Members that may report an error. Whether they do is known only after the whole document was
 * read. */
struct failure {
	struct json_token message, detail;
	struct span detail_span;
	bool object_is_error; /* "object": "error" */
	bool has_answer;      /* the document has choices, or what takes their place in its form */
};

/* Reads the value of "error": {"message": ...}, a string, or anything that is not null. j is
 * then after the value. */
void failure_read(struct draft *d, struct json *j, const struct json_token *first);
/* Reads one member that does not belong to the current shape: error, detail, message or object.
 * False: it is none of these four, and j is unchanged. */
bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* Call it after the document `text`: if it had no "error", decides whether the members in f
 * report one, and stores it in the draft. */
void failure_decide(struct draft *d, const struct failure *f, struct span text, bool is_error);
