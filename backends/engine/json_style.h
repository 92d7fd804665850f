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

/* key: the member's name; NULL: the value is an element of an array, or follows
 * json_style_member(). */
void json_style_open(struct json_style *p, const char *key, char bracket); /* begins { or [ */
void json_style_close(struct json_style *p, const char *brackets);         /* ends one or more */
void json_style_string(
        struct json_style *p, const char *key, struct span value); /* invalid UTF-8: U+FFFD */
void json_style_integer(struct json_style *p, const char *key, int64_t value);
void json_style_number(struct json_style *p, const char *key, double value); /* non-finite: null */
void json_style_word(
        struct json_style *p, const char *key, const char *word); /* any JSON text, as null */
void json_style_bytes(
        struct json_style *p, const char *key, struct span bytes); /* as an array of integers */
/* A member's name that may need escapes; its value follows. */
void json_style_member(struct json_style *p, struct span name);
