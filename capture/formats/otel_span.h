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

/* The content of one span, as JSON. Use it again for the next span, so that its memory is
 * reused. Zero-initialised is empty. */
struct otel_span {
	struct buf messages; /* an array, as in a chat; empty: it is a completion */
	struct buf prompt;   /* for a completion: a string; empty: it is a chat */
	struct buf model;    /* a string; empty: not stated */
	struct buf
	        parameters; /* further members, such as "\"seed\": 1, \"top_p\": 0.5"; or empty */
	struct buf id;      /* plain text: the ids of trace and span; empty: not stated */
	uint64_t start_ns;  /* ns since 1970; 0: not stated */
	uint64_t took_us;   /* microseconds; UINT64_MAX: not stated */

	/* The first choice: strings; empty if not stated. */
	struct buf text, reasoning, finish, named; /* text is null if there are only calls */
	struct buf calls;                          /* tool calls as in a chat: an array, or empty */
	struct buf usage;                          /* an object, or empty */
	bool failed;                               /* the span ended with an error */
	bool several;                              /* the answer has further choices */
	/* the span is not a chat that can be sent; a file has many such spans */
	bool is_other;
	bool parameter_dropped; /* a parameter has an invalid value and is left out */
};

/*
 * Reads one span. Returns NULL, or a reason why it has no chat or completion that can be sent;
 * *ret_bad: the span is damaged. *ret_unanswered: NULL, or a reason why there is no answer.
 */
const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered);
void otel_span_finish(struct otel_span *s);
