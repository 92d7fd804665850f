#pragma once
/*
 * sse - splits a byte stream into server-sent events without changing a byte.
 *
 * Line ends LF, CRLF and CR; comments; a BOM at the start; bytes cut anywhere. An event is every byte from
 * the end of the event before it through the blank line that ends it (a run of comments and a blank line is
 * an event without data). The spans are valid during the callback only. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct sse_event {
	struct span raw;       /* all bytes, line ends and blank line included */
	struct span data;      /* the data lines' values joined by LF */
	struct span data_raw;  /* where the value of the only data line lies in raw; empty if there are several or none */
	struct span name;      /* of an event: line, or empty */
	bool has_data;
};

typedef void (*sse_event_fn)(void *arg, const struct sse_event *event);

struct sse {
	struct buf pending;    /* bytes of the event under way */
	struct buf joined;
	size_t scanned;        /* of pending */
	size_t limit;          /* of one event, bytes */
	bool started;
	bool after_cr;         /* internal */
	bool at_line_start;    /* internal */
};

void sse_init(struct sse *s, size_t limit);
void sse_finish(struct sse *s);                                    /* frees; gives no event */
/* 0, or -EMSGSIZE when one event grows over the limit (the reader then takes nothing more). */
int sse_feed(struct sse *s, const char *data, size_t len, sse_event_fn on_event, void *arg) MUST_CHECK;
/* At the end of the stream: an event without its blank line is given too. */
void sse_end(struct sse *s, sse_event_fn on_event, void *arg);
size_t sse_pending(const struct sse *s);                           /* bytes held of an unfinished event */
