#pragma once
/*
 * cut - taking exactly what injection added out of what the client sees.
 *
 * What is left equals, byte for byte, what the engine would have sent unasked. That depends on its
 * kind: unasked, some engines send "logprobs":null, others no member; asked for usage, some put
 * "usage" into every event, as null or with zeros. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/injection/kind.h"
#include "base/buf.h"

/*
 * Cuts a unary answer's JSON text: appends what the client may see to *to. CUT_KEPT: nothing had to
 * be cut; CUT_DONE; CUT_FAILED: the text is not a JSON object and was appended as it is. What is cut
 * need not be valid, as long as the rest is.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_FAILED };
enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to);
/* A text for which CUT_FAILED was returned names a member that was injected. */
bool cut_shows(struct span text, const struct injection *injected);

/*
 * Cuts a stream: fed the de-chunked body, it appends to *to what the client may see now; it holds
 * back at most the event under way and, where the kind has a tail, the one that finishes a choice,
 * until the next event.
 *
 * An event that says nothing without what was injected goes whole, but for its comments: the usage
 * event, and one that has logprobs alone unless the kind has silent events. A usage that counts
 * something in an event that says something is the engine's own and stays.
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
