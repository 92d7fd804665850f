#pragma once
/*
 * otel_span - what a span of OpenTelemetry's conventions for generative AI says of a chat: what was asked and what was
 * answered.
 *
 * The conventions changed, so messages are looked for in all places where instrumentations put them: attributes with
 * messages as JSON or as OTLP's own values (gen_ai.input.messages, gen_ai.output.messages, gen_ai.system_instructions;
 * gen_ai.prompt, gen_ai.completion), numbered attributes (gen_ai.prompt.0.content), and the span's events. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/formats/otel_message.h"

/* What one span says, as JSON; kept from span to span, for its memory. Zero-initialised is empty. */
struct otel_span {
	struct buf messages;   /* an array, as a chat has it */
	struct buf prompt;     /* of a completion, which has no messages: a string; empty: a chat */
	struct buf model;      /* a string; empty: not said */
	struct buf parameters; /* further members: "\"temperature\":0.5,\"seed\":1"; or empty */
	uint64_t start_ns;     /* 0: not said */
	uint64_t took_us;      /* UINT64_MAX: not said */
	struct buf id;         /* of trace and span; empty: not said */

	/* Of the first choice; strings, empty: not said. */
	struct buf text, reasoning, finish, named; /* text: null beside calls alone */
	struct buf calls; /* of tools, as a chat has them; an array, or empty */
	struct buf usage; /* an object, or empty */
	bool failed;      /* it ended in an error */
	bool several;     /* there are further choices */
	bool is_other;    /* it can't be sent since it is no chat: there are many of these */
	bool odd;         /* a parameter has a value that it can't have, and is left out */

	struct otel_said said; /* its own, as are those below */
	struct buf part, only;
	size_t n_messages;
};

/*
 * Reads one. NULL, or why it holds no chat or completion that can be sent; *ret_bad: it is damaged. What was answered is
 * there where text is not empty; *ret_unanswered says why it is not.
 */
const char *otel_span_read(
        struct otel_span *s, struct span span, bool *ret_bad, const char **ret_unanswered);
void otel_span_finish(struct otel_span *s);
