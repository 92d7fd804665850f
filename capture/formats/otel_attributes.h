#pragma once
/*
 * otel_attributes - collects the attributes of a span and of its events. One thread.
 */
#include <jansson.h>

#include "base/buf.h"

#define OTEL_TURNS_LIMIT 4096

/*
 * A turn is a message that has several attributes, or an event, of its own: an object with the
 * members role, event_role, content, finish_reason, whole (the message in place of content) and
 * calls (the message also calls tools), as far as they are stated.
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
