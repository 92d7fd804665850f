#pragma once
/*
 * cut - taking exactly what injection added out of what the client sees.
 *
 * What is left equals, byte for byte, what the engine would have sent unasked. That depends on its
 * kind: unasked, some engines send "logprobs":null, others no member; asked for usage, some put
 * "usage" into every event. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/kind.h"
#include "base/buf.h"

/*
 * Cuts one JSON text (a unary body or one event's data): appends what the client may see to *to.
 * CUT_KEPT: nothing had to be cut (*to holds the text as it was); CUT_DONE; CUT_DROP: the whole
 * event is our own usage event and must not be sent at all (*to is as before); CUT_FAILED: the text
 * is not a JSON object, it was appended as it is. What is cut need not be valid, as long as the rest is.
 */
enum cut { CUT_KEPT, CUT_DONE, CUT_DROP, CUT_FAILED };
enum cut cut_json(
        struct span json, const struct injection *injected, struct kind kind, struct buf *to);

/*
 * Cuts a stream: fed the de-chunked body, it appends to *to what the client may see now; it holds
 * back at most the event under way and, where the kind has a tail, the one that finishes a choice,
 * until the next event. An event that is over the limit is passed uncut, as is one whose JSON is
 * spread over several data lines and would have to be cut; that sets *ret_uncut (which is never
 * cleared here).
 */
struct cutter;
struct cutter *cutter_create(
        const struct injection *injected, struct kind kind, size_t event_limit);
void cutter_feed(struct cutter *c, const char *data, size_t len, struct buf *to, bool *ret_uncut);
/* The stream is over: an event that lacks only its blank line is cut, one that broke off passes as
 * it is. */
void cutter_end(struct cutter *c, struct buf *to);
size_t cutter_held(const struct cutter *c); /* bytes held back */
void cutter_destroy(struct cutter *c);      /* NULL is fine */
