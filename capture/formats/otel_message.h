#pragma once
/*
 * otel_message - reads the messages of OpenTelemetry spans: with parts as in OpenTelemetry's
 * conventions for generative AI, or in the form of a chat.
 *
 * It reads texts, reasoning, tool calls and tool results, and refuses a message with anything else,
 * such as an image. Functions that return json_t give the caller a new reference. One thread.
 */
#include <jansson.h>

#include "base/buf.h"

/* True for a list of objects that each have a role, content or parts, or an empty list. */
bool otel_is_messages(const json_t *list) MUST_CHECK;
/* True for an object that has a role, and content or parts. */
bool otel_is_message(const json_t *object) MUST_CHECK;
/* True for a list of objects that have a type; false if it is empty. */
bool otel_is_parts(const json_t *list) MUST_CHECK;
/* True if the message has tool calls in the form of a chat. */
bool otel_calls_tools(const json_t *message) MUST_CHECK;

/* The content of a message. */
struct otel_content {
	struct buf text, reasoning;
	bool has_text;   /* there is a text, which may be empty */
	json_t *calls;   /* tool calls as in a chat's tool_calls */
	json_t *results; /* tool results as messages of a chat */
	bool nameless;   /* a call has no id, so results cannot be assigned to it */
};

/* Reads a message. False: it is empty or has something else. Call otel_content_finish() in either
 * case. */
bool otel_content_read(struct otel_content *ret, const json_t *message) MUST_CHECK;
void otel_content_finish(struct otel_content *c);

/* The text of a message, or the joined texts of a list of parts. NULL: there is something else, or
 * the message is empty. */
json_t *otel_only_text(const json_t *message) MUST_CHECK;
/* Converts a list of tool definitions to a chat's tools. NULL: it is no list, or a definition has
 * no name. */
json_t *otel_tools(const json_t *definitions) MUST_CHECK;
