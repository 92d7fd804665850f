#pragma once
/*
 * pen - writes JSON in one of the styles of engines: compact, with spaces, and with spaces and
 * escapes for everything outside of ASCII (Python's json.dumps). Adds commas itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine.h"
#include "base/buf.h"

struct pen {
	struct buf *to;
	enum engine_json style;
};

void pen_open(struct pen *p, char bracket); /* { or [ as a value */
void pen_close(struct pen *p, char bracket);
void pen_key(struct pen *p, const char *name);
void pen_key_span(struct pen *p, struct span name);
void pen_string(struct pen *p, struct span value); /* bad UTF-8 becomes U+FFFD */
void pen_integer(struct pen *p, int64_t value);
void pen_number(struct pen *p, double value);   /* non-finite: null */
void pen_word(struct pen *p, const char *word); /* true, false, null, or any JSON text */
