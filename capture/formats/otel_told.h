#pragma once
/*
 * otel_told - what the attributes of a span and of its events say, by name: values as they stand there.
 *
 * Attributes are a list of keys and values, as OTLP's JSON has them, or an object, as some tools write it. One thread.
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
	OTEL_NAMED,
	OTEL_FINISH,
	OTEL_INPUT_TOKENS,
	OTEL_OUTPUT_TOKENS,
	N_OTEL_ATTRIBUTES,
};

/* A message in attributes or events of its own; values. */
struct otel_turn {
	const char *event_role; /* as the event's name says, or NULL */
	struct span role;       /* a value, or empty; goes before that of the event */
	struct span content;    /* a text */
	struct span whole;      /* or the message, JSON in a string, or as an object */
	struct span finish;
	bool calls; /* a tool, beside its content */
};

struct otel_told {
	struct span values[N_OTEL_ATTRIBUTES]; /* empty: not there */
	struct otel_turn *turns;               /* of the prompt; numbers left out are empty */
	size_t n_turns, turns_cap;
	bool too_many; /* turns over the limit, which are left out */
	struct otel_turn answer;
	bool has_answer, several;
};

/* All of a span, in place of what is there; zero-initialised is empty. The values point into the span. */
void otel_told_read(struct otel_told *t, struct span span);
void otel_told_finish(struct otel_told *t);
