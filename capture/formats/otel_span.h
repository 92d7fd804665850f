#pragma once
/*
 * otel_span - reads the request and the answer from a span of OpenTelemetry's conventions for
 * generative AI.
 *
 * The conventions changed over time, so messages are searched in all places that instrumentations
 * use: attributes with messages as JSON or as OTLP values (gen_ai.input.messages,
 * gen_ai.output.messages, gen_ai.system_instructions; gen_ai.prompt, gen_ai.completion), numbered
 * attributes (gen_ai.prompt.0.content), and the span's events. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/formats/otel_message.h"

/* The content of one span, as JSON; reused for its memory. Zero-initialised is empty. */
struct otel_span {
	struct buf messages;   /* an array, as in a chat */
	struct buf prompt;     /* of a completion: a string; empty: it is a chat */
	struct buf model;      /* a string; empty: not stated */
	struct buf parameters; /* further members: "\"temperature\":0.5,\"seed\":1"; or empty */
	uint64_t start_ns;     /* 0: not stated */
	uint64_t took_us;      /* UINT64_MAX: not stated */
	struct buf id;         /* of trace and span; empty: not stated */

	/* Of the first choice; strings, empty if not stated. */
	struct buf text, reasoning, finish, named; /* text: null if there are only calls */
	struct buf calls;                          /* tool calls as in a chat: an array, or empty */
	struct buf usage;                          /* an object, or empty */
	bool failed;                               /* it ended with an error */
	bool several;                              /* it has further choices */
	/* the span is of another kind, not a chat that can be sent; a file has many such spans */
	bool is_other;
	bool odd; /* a parameter has an invalid value and is left out */

	struct otel_said said; /* internal, like the following */
	struct buf part, only;
	size_t n_messages;
};

/*
 * Reads one span. Returns NULL, or why it has no chat or completion that can be sent; *ret_bad: it
 * is damaged. The answer is there if text is not empty, else *ret_unanswered says why not.
 */
const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered);
void otel_span_finish(struct otel_span *s);
