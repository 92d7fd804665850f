#pragma once
/*
 * otel_attributes - collects the attributes of a span and of its events, by name, as raw values.
 *
 * Attributes are a list of keys and values, as in OTLP's JSON, or an object, as some tools write.
 * One thread.
 */
#include "base/buf.h"

#define OTEL_TURNS_LIMIT 4096

enum otel_attribute {
	OTEL_INPUT,
	OTEL_PROMPT,
	OTEL_SYSTEM,
	OTEL_OUTPUT,
	OTEL_COMPLETION,
	OTEL_OPERATION,
	OTEL_ERROR,
	OTEL_MODEL,
	OTEL_TEMPERATURE,
	OTEL_TOP_P,
	OTEL_MAX_TOKENS,
	OTEL_SEED,
	OTEL_FREQUENCY_PENALTY,
	OTEL_PRESENCE_PENALTY,
	OTEL_STOP,
	OTEL_TOOLS,
	OTEL_NAMED, /* the model that the response names */
	OTEL_FINISH,
	OTEL_INPUT_TOKENS,
	OTEL_OUTPUT_TOKENS,
	N_OTEL_ATTRIBUTES,
};

/* A message whose parts are in several attributes or events; each struct span is a raw
 * value. */
struct otel_turn {
	const char *event_role; /* from the event's name, or NULL */
	struct span role;       /* a value, or empty; it overrides event_role */
	struct span content;    /* a text */
	/* in place of content, the whole message: JSON in a string, or an object */
	struct span whole;
	struct span finish;
	bool calls; /* it calls tools in addition to its content */
};

struct otel_attributes {
	struct span values[N_OTEL_ATTRIBUTES]; /* empty: absent */
	/* the prompt's messages, by number; missing numbers are empty */
	struct otel_turn *turns;
	size_t n_turns, turns_cap;
	bool too_many; /* there were more than OTEL_TURNS_LIMIT turns; the others are left out */
	struct otel_turn answer;
	bool has_answer, several; /* several: the answer has further choices */
};

/* Reads a span into *t, whose earlier content it replaces; zero-initialised is empty. span: the
 * JSON of one OpenTelemetry span (the record of one call). The values point into it. */
void otel_attributes_read(struct otel_attributes *t, struct span span);
void otel_attributes_finish(struct otel_attributes *t);
