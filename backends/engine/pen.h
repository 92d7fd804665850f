#pragma once
/*
 * pen - writes JSON in the style of an engine: compact, with spaces, or with spaces and escapes for
 * everything outside of ASCII (as Python's json.dumps). It adds commas itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine.h"
#include "base/buf.h"

struct pen {
	struct buf *to;
	enum engine_json style;
};

void pen_open(struct pen *p, char bracket); /* begins an object or array: { or [ */
void pen_close(struct pen *p, char bracket);
void pen_key(struct pen *p, const char *name);
void pen_key_span(struct pen *p, struct span name);
void pen_string(struct pen *p, struct span value); /* invalid UTF-8 becomes U+FFFD */
void pen_integer(struct pen *p, int64_t value);
void pen_number(struct pen *p, double value);   /* a non-finite value becomes null */
void pen_word(struct pen *p, const char *word); /* true, false, null, or any JSON text */
