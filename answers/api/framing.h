#pragma once
/*
 * framing - finds out from a body's first bytes how it is divided into documents, and splits a
 * stream into lines. Pure.
 */
#include "answers/reading.h"

/* The framing that the first bytes of a body show. declared: the framing that the Content-Type
 * states. FRAMING_UNKNOWN: there are too few bytes. FRAMING_UNARY may turn out to be lines later
 * (framing_is_lines()). */
enum framing framing_of_bytes(struct span head, enum framing declared);
/* True if a complete body of FRAMING_UNARY looks like one JSON object on each line. */
bool framing_is_lines(struct span body);

/* Splits a stream into lines, including blank ones. The caller sets limit and zeroes the rest. */
struct lines {
	struct buf pending;
	size_t limit; /* the longest line, bytes */
};
/* raw: the line with its line end; valid only during the call. */
typedef void (*line_fn)(void *arg, struct span raw);

/* Calls on_line for each complete line. Returns 0, or -EMSGSIZE if a line exceeds the limit; the
 * lines before it were delivered. */
int lines_feed(struct lines *l, struct span data, line_fn on_line, void *arg) MUST_CHECK;
/* Call it at the end of the stream: delivers the last line even if it has no line end. */
void lines_end(struct lines *l, line_fn on_line, void *arg);
void lines_finish(struct lines *l);
