#pragma once
/*
 * otel_value - what an attribute of a span holds: OTLP's {"stringValue": "x"}, {"intValue": "5"}, {"arrayValue": ...},
 * {"kvlistValue": ...}, or the value itself as JSON.
 *
 * Instrumentations write whatever type is handy, and documents into strings: each function takes what can be meant. An
 * empty value is none. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

/* Appends it as plain JSON. False: it is none, or nested too deeply. */
bool otel_value_put(struct span value, struct buf *to) MUST_CHECK;
/* Of a document; JSON_ERROR: it is none, or more than one. */
enum json_type otel_value_type(struct span json);
/*
 * As a document, in place of what is in *to: an array or object within a string is taken out of it. JSON_STRING: it is a
 * text, in *to without quotes; *ret_text: it was a string, which may be meant as a text whatever is in it.
 */
enum json_type otel_value_open(struct span value, struct buf *to, bool *ret_text);
/* A string with its quotes, in place of what is in *to. False, and nothing there: it is none. */
bool otel_value_quoted(struct span value, struct buf *to) MUST_CHECK;
/* Appends a number that JSON can say, also one within a string. False: it is none. */
bool otel_value_number(struct span value, struct buf *to) MUST_CHECK;
/* Appends a text, or a list of texts. False: it is neither. */
bool otel_value_texts(struct span value, struct buf *to) MUST_CHECK;
/* A number of things, below INT32_MAX. False: it is none. */
bool otel_value_count(struct span value, int64_t *ret) MUST_CHECK;
