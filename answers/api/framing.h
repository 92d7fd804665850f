#pragma once
/*
 * framing - how a body is divided into documents, decided by its first bytes, and the splitting of
 * lines.
 */
#include "answers/reading.h"

/*
 * The framing that the first bytes of a body show. said: by the Content-Type. FRAMING_UNKNOWN: too
 * few bytes yet. FRAMING_UNARY may later turn out to be lines (framing_is_lines()).
 */
enum framing framing_of_bytes(struct span head, enum framing said);
/* True if a complete body that was taken as one document has a document on each line. */
bool framing_is_lines(struct span body);

/* Splits a stream into lines, including blank ones. */
struct lines {
	struct buf pending;
	size_t limit; /* of one line, bytes */
};
/* raw: the line with its end, valid only during the call. */
typedef void (*line_fn)(void *arg, struct span raw);

/* Returns 0, or -EMSGSIZE if a line exceeds the limit; the lines before it were delivered. */
int lines_feed(struct lines *l, struct span data, line_fn on_line, void *arg) MUST_CHECK;
/* Call at the end of the stream: also delivers a last line without an end. */
void lines_end(struct lines *l, line_fn on_line, void *arg);
void lines_finish(struct lines *l);
