#pragma once
/*
 * failure - the error that an answer tells of, in whichever member it stands.
 */
#include "answers/draft.h"

/* Members that may tell of an error, until the whole document was read. */
struct failure {
	struct json_token message, detail;
	struct span detail_span;
	bool object_is_error; /* "object": "error" */
	bool has_answer;      /* the document has choices, or what stands for them */
};

/* "error": {"message": ...}, or a string, or whatever is not null. j is after the value then. */
void failure_read(struct draft *d, struct json *j, const struct json_token *first);
/* One member that is not of the shape at hand: error, detail, message or object. False: none of
 * them, j is where it was. */
bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* After the document, text: what f holds counts if there was no "error". */
void failure_settle(struct draft *d, const struct failure *f, struct span text, bool is_error);
