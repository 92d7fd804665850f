#pragma once
/*
 * otel_message - reads the messages of OpenTelemetry spans: with parts as in OpenTelemetry's
 * conventions for generative AI, or in the form of a chat.
 *
 * It reads texts, reasoning, tool calls and tool results, and refuses a message with anything else,
 * such as an image. Functions that return json_t give the caller a new reference. Reasons are
 * static. One thread.
 */
#include <jansson.h>

#include "base/buf.h"

#define OTEL_UNSUPPORTED(what)                                                                     \
	"its " what " parts that are not supported: images, or tool calls outside of a list of "   \
	"messages"

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

/* True if the message has tool calls in the form of a chat. */
bool otel_calls_tools(const json_t *message) MUST_CHECK;
/* The text of a message, or the joined texts of a list of parts. NULL: there is something else, or
 * the message is empty. */
json_t *otel_only_text(const json_t *message) MUST_CHECK;
/* A text, or the joined texts of a list of parts. NULL: the value is neither. */
json_t *otel_content_text(json_t *value) MUST_CHECK;
/*
 * The messages of an attribute: a list of messages, one message, or a text, which becomes a message
 * of this role. any_text: a text may be any JSON. NULL: the value has none of these forms.
 */
json_t *otel_messages(json_t *value, const char *role, bool any_text) MUST_CHECK;
/* Adds messages to the list `to` as messages of a chat. Returns NULL, or why they cannot be sent;
 * some may have been added before. list NULL gives a reason, too. */
const char *otel_add_messages(json_t *to, const json_t *list) MUST_CHECK;
void otel_add_text(json_t *to, const char *role, json_t *text);
/* Converts a list of tool definitions to a chat's tools. NULL: it is no list, or a definition has
 * no name. */
json_t *otel_tools(const json_t *definitions) MUST_CHECK;
