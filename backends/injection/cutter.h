#pragma once
/*
 * cutter - cuts a stream of events as cut.h cuts one JSON text. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/cut.h"

/*
 * Cuts a stream: fed the de-chunked body, it appends to *to what the client may see now; it holds
 * back at most the event under way and, where the kind has a tail, the one that finishes a choice,
 * until the next event.
 *
 * An event that says nothing without what was injected goes whole, but for its comments: the usage
 * event, and one that has logprobs or token ids alone unless the kind has silent events. A usage
 * that counts something in an event that says something is the engine's own and stays.
 *
 * An event with logprobs and a text stays, even if the text is empty: vLLM sends such events unasked
 * for each token of a character but the last. Where it sends one for the logprobs alone, the delta
 * is empty.
 *
 * *ret_uncut is set (and never cleared) when the client gets what was injected.
 */
struct cutter;
enum uncut {
	UNCUT_NOT,
	UNCUT_LONG,  /* in an event over the limit */
	UNCUT_LINES, /* in one whose data lines lie apart */
	UNCUT_TEXT,  /* in one that is not JSON */
};
struct cutter *cutter_create(
        const struct injection *injected, struct kind kind, size_t event_limit);
/* Before the first event with data was fed to its end. */
void cutter_set_kind(struct cutter *c, struct kind kind);
void cutter_feed(struct cutter *c, const char *data, size_t len, struct buf *to, bool *ret_uncut);
/* The stream is over: an event that lacks only its blank line is cut, one that broke off passes as
 * it is. */
void cutter_end(struct cutter *c, struct buf *to, bool *ret_uncut);
enum uncut cutter_uncut(const struct cutter *c); /* the first that there was */
size_t cutter_held(const struct cutter *c);      /* bytes held back */
void cutter_destroy(struct cutter *c);           /* NULL is fine */
