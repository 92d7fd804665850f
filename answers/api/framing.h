#pragma once
/*
 * framing - how a body is cut into documents, told by its first bytes, and lines cut out of it.
 */
#include "answers/reading.h"

/*
 * What the first bytes of a body tell. said: by the Content-Type. FRAMING_UNKNOWN: too few bytes
 * yet. FRAMING_UNARY is also said of what may turn out to be lines (framing_is_lines()).
 */
enum framing framing_of_bytes(struct span head, enum framing said);
/* Is a whole body, thought to be one document, a document on each line? */
bool framing_is_lines(struct span body);

/* Cuts a stream into lines, blank ones too. */
struct lines {
	struct buf pending;
	size_t limit; /* of one line, bytes */
};
/* raw: the line with its end, valid during the call only. */
typedef void (*line_fn)(void *arg, struct span raw);

/* 0, or -EMSGSIZE when a line grows over the limit: those before it have been given. */
int lines_feed(struct lines *l, struct span data, line_fn on_line, void *arg) MUST_CHECK;
/* At the end of the stream: a line without its end is given too. */
void lines_end(struct lines *l, line_fn on_line, void *arg);
void lines_finish(struct lines *l);
