#pragma once
/*
 * sse - splits a byte stream into server-sent events without changing a byte.
 *
 * Line ends LF, CRLF and CR; comments; a BOM at the start; bytes cut anywhere. An event is every
 * byte from the end of the event before it through the blank line that ends it (a run of comments
 * and a blank line is an event without data). Any split of a stream gives the same events. The
 * spans are valid during the callback only. One thread.
 *
 * Whether a blank line that is a CR goes on with an LF is known one byte later, and the event waits
 * for it, unless the line before ended with a lone CR too: a stream of that kind is not held back.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct sse_event {
	struct span raw;      /* all bytes, line ends and blank line included */
	struct span data;     /* the data lines' values joined by LF */
	struct span data_raw; /* where the value of the only data line lies in raw; empty if there
	                         are several or none */
	struct span
	        lines; /* from the first byte of the first data line through the last one's value */
	bool lines_apart; /* other lines lie between the data lines */
	struct span name; /* of an event: line, or empty */
	bool has_data;
	bool piece; /* of an event over the limit: raw only (see pieces) */
};

typedef void (*sse_event_fn)(void *arg, const struct sse_event *event);

struct sse {
	struct buf pending; /* bytes of the current event */
	struct buf joined;
	size_t limit; /* of one event, bytes */
	bool pieces;  /* set after sse_init(): an event over the limit is no error but comes in
	                 pieces */
	/* internal: */
	bool in_pieces; /* the event in progress has been begun to be given in pieces */
	bool failed;
	bool begun;      /* an event has been given: a BOM may no longer come */
	bool line_empty; /* no byte of the present line has come */
	bool blank_cr;   /* a blank line ended by CR: an LF may belong to it */
	bool after_cr;   /* the line before the present byte ended by CR: an LF belongs to it */
	bool lone_cr;    /* the line before ended by a CR without LF */
	uint8_t bom;     /* bytes of a BOM seen at the start of the stream */
};

void sse_init(struct sse *s, size_t limit);
void sse_finish(struct sse *s); /* frees; gives no event */
/*
 * 0, or -EMSGSIZE when one event grows over the limit: the events before it have been given, the
 * reader then takes nothing more.
 */
int sse_feed(
        struct sse *s, const char *data, size_t len, sse_event_fn on_event, void *arg) MUST_CHECK;
/* At the end of the stream: an event without its blank line is given too. */
void sse_end(struct sse *s, sse_event_fn on_event, void *arg);
size_t sse_pending(const struct sse *s); /* bytes held of an unfinished event */
