#pragma once
/*
 * sse - splits a byte stream into server-sent events without changing a byte.
 *
 * It accepts the line ends LF, CRLF and CR, comments, a BOM at the start, and input cut at any
 * byte. An event is every byte from the end of the previous event through the blank line that ends
 * it (comments and a blank line are an event without data). The events do not depend on how the
 * input is cut. The spans are valid during the callback only.
 *
 * If a blank line ends with CR, an LF may follow and belong to it. So the reader waits for the next
 * byte before it gives the event. It does not wait if the line before also ended with a lone CR:
 * such a stream uses CR alone.
 *
 * The caller sets the limit of an event. A line has no other limit, and sse_read() has none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct sse_event {
	struct span raw;  /* all bytes, with line ends and the blank line */
	struct span data; /* the values of the data lines, joined by LF */
	/* the value of the only data line, within raw; empty if there are several data lines or
	 * none */
	struct span data_raw;
	/* in raw: from the first byte of the first data line to the last byte of the last value */
	struct span lines;
	bool lines_apart; /* there are other lines between the data lines */
	struct span name; /* the value of the "event:" line, or empty */
	bool has_data;
	bool piece; /* a piece of an event over the limit; only raw is set */
};

typedef void (*sse_event_fn)(void *arg, const struct sse_event *event);

struct sse {
	struct buf pending; /* bytes of the current event */
	struct buf joined;
	size_t limit; /* the largest event, bytes */
	/* Set it after sse_init(): an event over the limit is then no error, but comes in
	 * pieces. */
	bool pieces;
	/* internal: */
	bool in_pieces; /* the current event is delivered in pieces */
	bool failed;
	bool begun;      /* an event was delivered, so no BOM can follow */
	bool line_empty; /* no byte of the current line has arrived */
	bool blank_cr;   /* a blank line ended with CR: an LF may belong to it */
	bool after_cr;   /* the previous byte is a CR that ended a line: an LF now belongs to it */
	bool lone_cr;    /* the previous line ended with a CR without LF */
	uint8_t bom;     /* bytes of a BOM seen at the start of the stream */
};

void sse_init(struct sse *s, size_t limit);
void sse_finish(struct sse *s); /* frees; calls no callback */
/* Returns 0, or -EMSGSIZE if one event is larger than the limit. The events before it were
 * delivered; the reader accepts nothing more. */
int sse_feed(
        struct sse *s, const char *data, size_t len, sse_event_fn on_event, void *arg) MUST_CHECK;
/* Call it at the end of the stream: delivers the last event even if it has no blank line. */
void sse_end(struct sse *s, sse_event_fn on_event, void *arg);
/* Delivers all events of a complete stream. */
void sse_read(struct span stream, sse_event_fn on_event, void *arg);
size_t sse_pending(const struct sse *s); /* the bytes of the unfinished event */
