#pragma once
/*
 * failure - reads the error that an answer reports, under any of the names that engines use.
 */
#include "answers/draft.h"

/* Members that may report an error. Whether they do is known only after the whole document was
 * read. */
struct failure {
	struct json_token message, detail; /* message: a text that is not empty */
	struct span message_name;          /* the name of the member that `message` is from */
	struct span detail_span;
	bool object_is_error; /* "object" or "type": "error" */
	bool has_answer;      /* the document has choices, or what takes their place in its form */
};

/* True if the value of "error" has a text that is not empty, a number other than 0, or true.
 * Without an error, some gateways send an object of empty texts and zeros. first: the value's first
 * token. value: the whole value; empty if the document ends within it, which counts as true. */
bool failure_is_reported(const struct json_token *first, struct span value);
/* The error in an object that a gateway adds beside the choices (x_groq, base_resp); empty: none.
 * key, value: a member at the top of the document. */
struct span failure_of_gateway(const struct json_token *key, struct span value);
/* Moves j past the value of "error", and stores the error in the draft if failure_is_reported():
 * the value is a string, an object with a "message", or anything else. */
void failure_read(struct draft *d, struct json *j, const struct json_token *first);
/* True if the document has a message, and nothing that may be an answer. DashScope, Zhipu and Baidu
 * report errors so, with status 200. */
bool failure_is_message(struct span text);
/* Reads one member that does not belong to the current shape: error into the draft, or detail,
 * object, type or a message into f. Moves j past the value. False: it is none of these, and j is
 * unchanged. */
bool failure_read_member(struct draft *d, struct failure *f, struct json *j,
        const struct json_token *key, const struct json_token *first);
/* Call it after the last member of a document. If the draft has no error so far, decides whether
 * the members in f report one, and stores that in the draft. text: the whole document. */
void failure_decide(struct draft *d, const struct failure *f, struct span text, bool is_error);
