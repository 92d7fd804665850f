#pragma once
/*
 * failure - reads the error that an answer reports, under any of the names that engines use.
 */
#include "answers/draft.h"

/* Members that may report an error. Whether they do is known only after the whole document was
 * read. */
struct failure {
	struct json_token message, detail;
	struct span message_name;
	struct span detail_span;
	bool object_is_error; /* "object" or "type": "error" */
	bool has_answer;      /* the document has choices, or what takes their place in its form */
};

/* True if the value of "error" says that there is one. Without an error, some gateways send an
 * object of empty texts and zeros. first: the value's first token; value: empty if it is cut
 * off. */
bool failure_is_reported(const struct json_token *first, struct span value);
/* The error in an object that a gateway adds beside the choices (x_groq, base_resp); empty: none.
 * key, value: a member at the top of the document. */
struct span failure_of_gateway(const struct json_token *key, struct span value);
/* Reads the value of "error": {"message": ...}, a string, or anything else that says something.
 * j is then after the value. */
void failure_read(struct draft *d, struct json *j, const struct json_token *first);
/* Reads one member that does not belong to the current shape: error, detail, object, type, or a
 * message. j is then after the value. False: it is none of these, and j is unchanged. */
bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* Call it after the document `text`: if it had no "error", decides whether the members in f
 * report one, and stores it in the draft. */
void failure_decide(struct draft *d, const struct failure *f, struct span text, bool is_error);
