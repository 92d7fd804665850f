#pragma once
/*
 * documents - passes each JSON document of an answer to the reader for the document's shape.
 */
#include "answers/draft.h"

struct document {
	struct span text;
	struct span raw; /* the text before a cut string was closed */
	struct span event_name;
	bool is_error; /* the event's name is "error", or the status is an error */
};

/*
 * Reads one document into the draft. The first document with a known shape decides which reader is
 * used; if a later document does not fit that reader, its own shape decides. A list of documents (a
 * batch) is read as choices 0, 1, ... Text that is not JSON is marked READING_NOT_JSON, and may
 * still be the text of an error.
 */
void document_read(struct draft *d, const struct document *doc);
