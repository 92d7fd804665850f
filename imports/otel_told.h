#pragma once
/*
 * otel_told - what the attributes of a span and of its events say, by name: values as they stand there.
 *
 * Attributes are a list of keys and values, as OTLP's JSON has them, or an object, as some tools write it. One thread.
 */
#include "base/buf.h"

#define OTEL_TURNS_LIMIT 256

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
	OTEL_NAMED,
	OTEL_FINISH,
	OTEL_INPUT_TOKENS,
	OTEL_OUTPUT_TOKENS,
	N_OTEL_ATTRIBUTES,
};

/* A message in attributes or events of its own; values. */
struct otel_turn {
	const char *role;    /* as the event's name says, or NULL */
	struct span said_by; /* the role as a value, or empty */
	struct span content; /* a text */
	struct span whole;   /* or the message, JSON in a string, or as an object */
	struct span finish;
};

struct otel_told {
	struct span values[N_OTEL_ATTRIBUTES];    /* empty: not there */
	struct otel_turn turns[OTEL_TURNS_LIMIT]; /* of the prompt */
	size_t n_turns;
	struct otel_turn answer;
	bool has_answer, several;
};

/* All of a span. The values point into it. */
void otel_told_read(struct otel_told *t, struct span span);
/*
 * Appends a value as plain JSON: OTLP's {"stringValue": "x"}, {"intValue": "5"}, {"arrayValue": ...}, {"kvlistValue": ...}
 * or the value itself. False: it is none, or nested too deeply.
 */
bool otel_put_plain(struct span value, struct buf *to) MUST_CHECK;
