#pragma once
/*
 * otel_value - the values of attributes of OpenTelemetry spans, as jansson values.
 *
 * OTLP writes {"stringValue": "x"}, {"intValue": "5"}, {"arrayValue": ...}, {"kvlistValue": ...};
 * some tools write plain JSON. Instrumentations use any type, and put documents into strings.
 * Functions that return json_t give the caller a new reference. NULL in gives NULL. One thread.
 */
#include <jansson.h>

#include "base/buf.h"

/* Attributes by name, with plain values. attributes: a list of keys and values, or an object; the
 * last of several equal names wins. Malformed attributes are left out. */
json_t *otel_named_values(json_t *attributes);
/* The array or object that a string contains; else the value itself. */
json_t *otel_value_document(json_t *plain);
/* A number, or the number that a string contains. NULL: there is none. */
json_t *otel_value_number(json_t *plain);
/* The bytes of a string, valid as long as the string; empty for another value. */
struct span otel_text(const json_t *value);
/* Appends a value as JSON, with spaces as Python's json module writes them. jansson's own writer
 * makes 0.1 to 0.10000000000000001. */
void otel_value_put(struct buf *to, const json_t *value);
