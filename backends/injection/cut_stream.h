#pragma once
/*
 * cut_stream - cuts a stream of events, each as cut.h does. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cut.h"

/*
 * Cuts a stream: takes the de-chunked body and appends to *to what the client may see now. It holds
 * back at most the current event, and, if the kind has a tail, the event that finishes a choice
 * until the next one.
 *
 * An event that says nothing without what was injected is removed, except for its comments: the
 * usage event, and events with only logprobs or token ids, unless the kind has silent events. A
 * usage with counts in an event that says something is the engine's own and stays.
 *
 * An event with logprobs and a text stays, even if the text is empty: without being asked, vLLM
 * sends such events for each token of a character except the last. An event for logprobs alone has
 * an empty delta.
 *
 * *ret_uncut is set (and never cleared) if the client gets what was injected.
 */
struct cut_stream;
/* Where the client gets what was injected. */
enum uncut {
	UNCUT_NOT,   /* nowhere: everything was cut */
	UNCUT_LONG,  /* in an event over the limit */
	UNCUT_LINES, /* in an event whose data lines are not adjacent */
	UNCUT_TEXT,  /* in an event that is not JSON */
};
struct cut_stream *cut_stream_create(
        const struct injection *injected, struct kind kind, size_t event_limit);
/* Call before the first event with data is complete. */
void cut_stream_set_kind(struct cut_stream *c, struct kind kind);
void cut_stream_feed(
        struct cut_stream *c, const char *data, size_t len, struct buf *to, bool *ret_uncut);
/* The stream has ended: an event that lacks only its blank line is cut; one that is incomplete
 * passes unchanged. */
void cut_stream_end(struct cut_stream *c, struct buf *to, bool *ret_uncut);
enum uncut cut_stream_uncut(const struct cut_stream *c); /* the first reason */
size_t cut_stream_held(const struct cut_stream *c);      /* bytes held back */
void cut_stream_destroy(struct cut_stream *c);           /* NULL is fine */
