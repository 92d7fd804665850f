#pragma once
/*
 * otel_message - reads the messages that an OpenTelemetry span has as JSON: with parts as in
 * OpenTelemetry's conventions for generative AI, or in the form of a chat.
 *
 * It reads texts, reasoning, tool calls and tool results, and refuses a message with anything else,
 * such as an image. One thread.
 */
#include "base/buf.h"

/* True for a list of objects that each have a role, content or parts; false if it is empty. */
bool otel_is_messages(struct span list) MUST_CHECK;
/* True for an object that has a role, and content or parts. */
bool otel_is_message(struct span object) MUST_CHECK;
/* True for a list of objects that have a type; false if it is empty. */
bool otel_is_parts(struct span list) MUST_CHECK;
/* True if the message has tool calls in the form of a chat. */
bool otel_calls_tools(struct span message) MUST_CHECK;

/* The content of a message. Zero-initialised is empty. */
struct otel_content {
	struct buf text, reasoning;
	bool has_text;    /* there is a text, which may be empty */
	struct buf calls; /* JSON: tool calls as in a chat's tool_calls, with commas between them */
	struct buf results; /* JSON: tool results as messages of a chat, with commas between them */
	size_t n_results;
	bool nameless; /* a call has no id, so results cannot be assigned to it */
};

/* Reads a message into *s, whose earlier content it replaces. False: the message is empty or has
 * something else. Call otel_said_finish() last, which frees an otel_content. */
bool otel_content_read(struct otel_content *s, struct span message) MUST_CHECK;
void otel_said_finish(struct otel_content *s);

/* Appends the texts of a list of parts. False: it has other parts. */
bool otel_join_parts(struct span list, struct buf *text) MUST_CHECK;
/* Appends the texts of a message. False: it is empty or has something else. */
bool otel_join_message(struct span message, struct buf *text) MUST_CHECK;
