#pragma once
/*
 * otel_form - converts a chat's messages and tools to the form of OpenTelemetry's conventions for
 * generative AI: messages with lists of parts. JSON to JSON; one thread.
 */
#include "base/buf.h"
#include "answers/reading.h"

/*
 * Appends "[{"role":...,"parts":[...]}, ...]" from a request's body. Returns NULL, or a reason why
 * the form cannot hold the messages. *ret_more: some messages have members that the form lacks.
 */
const char *otel_form_messages(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* Appends the request's tools as definitions; nothing if it has none. Returns NULL, or a reason
 * why the form cannot hold them. *ret_more: some tools have members other than their function. */
const char *otel_form_tools(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* Appends the answer: a list of one message, with its finish reason. */
void otel_form_answer(const struct choice *c, struct buf *to);
/* True if an object has a member that is not null and none of n known ones. */
bool otel_form_has_more(struct span object, const char *const known[], size_t n);
