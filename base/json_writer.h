#pragma once
/*
 * json_writer - appends a JSON document to a buf, value by value. It adds commas, spaces and line
 * ends itself. Allocates nothing but the buf's bytes. One thread.
 *
 *	struct json_writer w = {.to = &text};
 *	json_writer_open(&w, NULL, '{');
 *	json_writer_integer(&w, "n", 1);
 *	json_writer_close(&w, "}");
 *
 * key: the member's name; NULL for an element of an array, and for the document itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum json_style {
	JSON_STYLE_COMPACT,
	JSON_STYLE_SPACED,   /* a space after each comma and colon */
	JSON_STYLE_ASCII,    /* as SPACED, with escapes for all that is not ASCII */
	JSON_STYLE_INDENTED, /* a line for each value, indented by two spaces for each level */
};

/* The caller sets the first two members and zero-initialises the others. To continue a list that
 * has values already, it also sets `comma`. */
struct json_writer {
	struct buf *to;
	enum json_style style;
	unsigned depth; /* number of open objects and arrays */
	bool comma;     /* a comma belongs before the next value */
};

void json_writer_open(struct json_writer *w, const char *key, char bracket); /* { or [ */
void json_writer_close(struct json_writer *w, const char *brackets); /* one or several: "]}" */
/* Invalid UTF-8 becomes U+FFFD. */
void json_writer_string(struct json_writer *w, const char *key, struct span value);
void json_writer_text(struct json_writer *w, const char *key, const char *value); /* NULL: null */
void json_writer_integer(struct json_writer *w, const char *key, int64_t value);
void json_writer_count(struct json_writer *w, const char *key, uint64_t value);
/* NaN and infinity: null */
void json_writer_number(struct json_writer *w, const char *key, double value);
void json_writer_bool(struct json_writer *w, const char *key, bool value);
void json_writer_null(struct json_writer *w, const char *key);
/* value: a JSON value, which is copied as it is; if it is empty, no member is written. */
void json_writer_raw(struct json_writer *w, const char *key, struct span value);
/* A string of two lowercase hexadecimal digits for each byte. */
void json_writer_hex(struct json_writer *w, const char *key, const uint8_t *bytes, size_t n);
/* format gives a JSON value, such as a number with a fixed number of decimals. */
void json_writer_printf(struct json_writer *w, const char *key, const char *format, ...)
        PRINTF(3, 4);
/* Begins a value, which the caller then appends to w->to. The key may have any bytes; its data is
 * NULL if there is no key. */
void json_writer_begin(struct json_writer *w, struct span key);
