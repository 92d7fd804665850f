#pragma once
/*
 * otel_form - converts a chat's messages and tools to the form of OpenTelemetry's conventions for
 * generative AI: messages with lists of parts. JSON to JSON. Pure. A reason is a clause about the
 * request; *to then has an incomplete list, which the caller must drop. *ret_more is always set.
 */
#include "base/buf.h"
#include "answers/reading.h"

/*
 * Appends "[{"role":...,"parts":[...]}, ...]" from the body of a chat/completions request. Returns
 * NULL, or a reason why the form cannot hold the messages. *ret_more: some messages have members
 * that the form lacks.
 */
const char *otel_form_messages(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* Appends the request's tools as definitions; nothing if it has none. Returns NULL, or a reason
 * why the form cannot hold them. *ret_more: some tools have members other than their function. */
const char *otel_form_tools(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* Appends the answer: a list of one message, with its finish reason. Calls that are in the text
 * stay there. */
void otel_form_answer(const struct choice *c, struct buf *to);
/* True if the object has a member that is not null, and whose name is not in `known` (n names). */
bool otel_form_has_more(struct span object, const char *const known[], size_t n);
