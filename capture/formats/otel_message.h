#pragma once
/*
 * otel_message - messages as spans hold them, JSON: with a list of parts, as the conventions say, or as a chat has them.
 *
 * Texts, reasoning, calls of tools and what tools said are taken out of them; a message with more than that in it, such as
 * a picture, is not taken at all. One thread.
 */
#include "base/buf.h"

/* Each is an object with a role, a content or parts; false also of an empty list. */
bool otel_is_messages(struct span list) MUST_CHECK;
/* An object with a role, and content or parts. */
bool otel_is_message(struct span object) MUST_CHECK;
/* Each is an object with a type; false also of an empty list. */
bool otel_is_parts(struct span list) MUST_CHECK;
/* It calls something, in the way that a chat says so. */
bool otel_calls_tools(struct span message) MUST_CHECK;

/* What is in a message. Zero-initialised is empty. */
struct otel_said {
	struct buf text, reasoning;
	bool has_text;    /* which may be empty */
	struct buf calls; /* of tools, as in a chat's tool_calls, with commas between them; JSON */
	struct buf results; /* of tools: messages of a chat, likewise */
	size_t n_results;
	bool nameless; /* a call has no id, so that no result can be told to be its */
};

/* In place of what is in it. False: there is more in the message, or nothing. */
bool otel_said_read(struct otel_said *s, struct span message) MUST_CHECK;
void otel_said_finish(struct otel_said *s);

/* Appends a list of parts that are texts. False: others are among them. */
bool otel_join_parts(struct span list, struct buf *text) MUST_CHECK;
/* The same of a message, whose content may be a text or parts. False: there is more in it, or nothing. */
bool otel_join_message(struct span message, struct buf *text) MUST_CHECK;
