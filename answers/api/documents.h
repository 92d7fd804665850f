#pragma once
/*
 * documents - passes each JSON document of an answer to the reader for the document's shape.
 */
#include "answers/draft.h"

struct document {
	struct span text; /* if the body was cut off within a string, that string is closed here */
	struct span raw;  /* as it arrived */
	struct span event_name;
	bool is_error; /* the event's name is "error", or the status is an error */
};

/*
 * Reads one document into the draft. The first document with a known shape decides which reader is
 * used; if a later document does not fit that reader, its own shape decides from then on. A list of
 * documents (a batch) is read as choices 0, 1, ... If the text is not JSON, the draft is marked
 * READING_NOT_JSON; if it is also an error, its raw text becomes the error's message.
 */
void document_read(struct draft *d, const struct document *doc);
