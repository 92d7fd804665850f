#pragma once
/*
 * documents - one JSON document of an answer, to the reader of its shape.
 */
#include "answers/draft.h"

struct document {
	struct span text;
	struct span raw; /* text before it was mended */
	struct span event_name;
	bool is_error; /* the event is named "error", or the status says so */
};

/*
 * The shape is told by the answer's first document that has one, and again by one that does not
 * fit. A list of documents (a batch) is read as choices 0, 1, ... What is no JSON is marked
 * READING_NOT_JSON and may still be the text of an error.
 */
void document_read(struct draft *d, const struct document *doc);
