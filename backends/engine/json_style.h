#pragma once
/*
 * json_style - writes JSON in the style of an engine: compact, with spaces, or with spaces and
 * escapes for everything outside of ASCII (as Python's json.dumps). It adds commas itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine.h"
#include "base/buf.h"

struct json_style {
	struct buf *to;
	enum engine_json style;
};

void json_style_open(struct json_style *p, char bracket); /* begins an object or array: { or [ */
void json_style_close(struct json_style *p, char bracket);
void json_style_key(struct json_style *p, const char *name);
void json_style_key_span(struct json_style *p, struct span name);
void json_style_string(struct json_style *p, struct span value); /* invalid UTF-8 becomes U+FFFD */
void json_style_integer(struct json_style *p, int64_t value);
void json_style_number(struct json_style *p, double value); /* a non-finite value becomes null */
void json_style_word(
        struct json_style *p, const char *word); /* true, false, null, or any JSON text */
