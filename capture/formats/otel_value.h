#pragma once
/*
 * otel_value - reads the value of an attribute: OTLP's {"stringValue": "x"}, {"intValue": "5"},
 * {"arrayValue": ...}, {"kvlistValue": ...}, or plain JSON.
 *
 * Instrumentations use any type, and put documents into strings. So each function accepts all forms
 * that can have the meaning it looks for. An empty value counts as absent. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

/* Appends the value as plain JSON. False: it is absent, or nested too deeply. */
bool otel_value_put(struct span value, struct buf *to) MUST_CHECK;
/* The type of a JSON document. JSON_ERROR: the text is not valid JSON, or more than one
 * document. */
enum json_type otel_value_type(struct span json);
/*
 * Sets *to to the value as a JSON document and returns its type. If the value is a string that
 * contains an array or object, that is the document. JSON_STRING: the value is any other text, and
 * *to has it without quotes. *ret_text: the value was a string, so it may be meant as a text.
 */
enum json_type otel_value_open(struct span value, struct buf *to, bool *ret_text);
/* Sets *to to a string with its quotes. False: there is none, and *to is empty. */
bool otel_value_quoted(struct span value, struct buf *to) MUST_CHECK;
/* Appends a number; the value may also be a string that contains one. False: it is no number
 * that JSON can express. */
bool otel_value_number(struct span value, struct buf *to) MUST_CHECK;
/* Appends a text, or a list of texts. False: it is neither. */
bool otel_value_texts(struct span value, struct buf *to) MUST_CHECK;
/* Reads a count below INT32_MAX. False: the value is not such a count. */
bool otel_value_count(struct span value, int64_t *ret) MUST_CHECK;
