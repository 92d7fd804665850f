#pragma once
/*
 * cut_stream - cuts a stream of events, each as cut.h does. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cut.h"

/*
 * Takes the body of a stream (without chunk frames) and appends to *to what the client may see so
 * far. It holds back at most the current event; if usage was injected, also an event that finishes
 * a choice until the next one, which may have its kind.tail.
 *
 * It removes these events, but passes their comments, unless the engine begins each event with one:
 *	- the usage event
 *	- an event that says nothing except injected logprobs or token ids; not if kind.silent
 *	- after the end of all choices, an event with an injected part and without a text; not if
 *	  kind.late
 * A usage with counts in any other event that says something stays (cut_stream_kept_usage()).
 *
 * An event with logprobs and a text stays, even if the text is empty: vLLM sends such events
 * without injection, too, for each token of a character except the last. Events that exist only for
 * logprobs have an empty delta.
 *
 * *ret_uncut is set (and never cleared) if the client gets an injected part.
 */
struct cut_stream;
/* Where the client gets an injected part. */
enum uncut {
	UNCUT_NOT,   /* nowhere: everything was cut */
	UNCUT_LONG,  /* in an event of more than event_limit bytes */
	UNCUT_LINES, /* in an event whose data lines are not adjacent */
	UNCUT_TEXT,  /* in an event that is not JSON */
	UNCUT_PLACE, /* outside the members that are cut (cut_misses()) */
	UNCUT_IDS,   /* in the number of an event ("id: 7") that counts removed ones */
};
struct cut_stream *cut_stream_create(
        const struct injection *injected, struct kind kind, size_t event_limit);
/* Replaces the kind. Call it before the first event with data is complete. */
void cut_stream_set_kind(struct cut_stream *c, struct kind kind);
void cut_stream_feed(
        struct cut_stream *c, const char *data, size_t len, struct buf *to, bool *ret_uncut);
/* Call it at the end of the stream. Cuts an event that lacks only its blank line; passes an
 * incomplete one unchanged. */
void cut_stream_end(struct cut_stream *c, struct buf *to, bool *ret_uncut);
enum uncut cut_stream_uncut(const struct cut_stream *c); /* the first place */
/* True if usage was injected, and an event that says something had a usage with counts. It stayed,
 * because it is unknown whether the engine sends it unasked. */
bool cut_stream_kept_usage(const struct cut_stream *c);
bool cut_stream_has_error(const struct cut_stream *c); /* an event has an "error" */
size_t cut_stream_held(const struct cut_stream *c);    /* bytes held back */
void cut_stream_destroy(struct cut_stream *c);         /* NULL is fine */
