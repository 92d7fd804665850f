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
 * used (draft.shape). A later document that does not fit this reader, but has another known shape,
 * replaces draft.shape. A list of documents (a batch) is read as choices 0, 1, ... If the text is
 * not JSON, the draft is marked READING_NOT_JSON, and the raw text of an error becomes draft.error.
 */
void document_read(struct draft *d, const struct document *doc);
