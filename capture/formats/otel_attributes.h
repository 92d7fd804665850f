#pragma once
/*
 * otel_attributes - the attributes of an OpenTelemetry span and of its events, as jansson values.
 *
 * OTLP writes {"stringValue": "x"}, {"intValue": "5"}, {"arrayValue": ...}, {"kvlistValue": ...};
 * some tools write plain JSON. Instrumentations use any type, and put documents into strings.
 * Functions that return json_t give the caller a new reference. NULL in gives NULL. One thread.
 */
#include <jansson.h>

#include "base/buf.h"

#define OTEL_TURNS_LIMIT 4096

/*
 * A turn is one message, which the span states by several attributes or by one event. The turn is
 * an object with those of these members that are stated: role, event_role, content, finish_reason,
 * whole (the message in place of content) and calls (true: the message also calls tools).
 */
struct otel_attributes {
	json_t *values; /* all attributes by name, as plain JSON */
	json_t *turns;  /* the prompt's turns, by number; missing numbers are empty objects */
	json_t *answer; /* the answer's turn; NULL: none */
	bool too_many;  /* there were more than OTEL_TURNS_LIMIT turns; the others are left out */
	bool several;   /* the answer has further choices */
};

/* Reads the span of one call. Call otel_attributes_finish() last. */
void otel_attributes_read(struct otel_attributes *ret, const json_t *span);
void otel_attributes_finish(struct otel_attributes *a);

/* The array or object that a string contains; else the value itself. */
json_t *otel_value_document(json_t *plain);
/* A number, or the number that a string contains. NULL: there is none. */
json_t *otel_value_number(json_t *plain);
/* The bytes of a string, valid as long as the string; empty for another value. */
struct span otel_text(const json_t *value);
/* Appends a value as JSON, with spaces as Python's json module writes them. key: the value becomes
 * the member KEY, after a comma unless *to is empty; NULL: the value alone. (jansson's own writer
 * makes 0.1 to 0.10000000000000001.) */
void otel_value_put(struct buf *to, const char *key, const json_t *value);
