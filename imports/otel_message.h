#pragma once
/*
 * otel_message - messages as spans hold them, JSON: with a list of parts, as the conventions say, or as a chat has them.
 *
 * Only texts are taken out of them: of a message that calls a tool or shows a picture they would not be the whole. One
 * thread.
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

/*
 * Appends those parts that are texts to *text, and those that are reasoning to *reasoning if it is not NULL. False: others
 * are among them.
 */
bool otel_join_parts(struct span list, struct buf *text, struct buf *reasoning) MUST_CHECK;
/* The same of a message, whose content may be a text or parts. False: there is more in it, or nothing. */
bool otel_join_message(struct span message, struct buf *text, struct buf *reasoning) MUST_CHECK;
