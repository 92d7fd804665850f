#pragma once
/*
 * otel_calls - converts tools in spans to the form of a chat: definitions, calls and results. JSON
 * to JSON; one thread.
 */
#include "base/buf.h"

/*
 * Appends a part of type "tool_call" as an element of a chat's tool_calls, after a comma unless it
 * is the first one. False: the part has no name of a function. *ret_named: the call has an id.
 */
bool otel_call_put(struct span part, struct buf *to, bool *ret_named) MUST_CHECK;
/* Appends a part of type "tool_call_response" as a message of a chat. False: the part is empty,
 * or does not name its call. */
bool otel_result_put(struct span part, struct buf *to) MUST_CHECK;
/* Copies the elements of a chat's tool_calls. False: one has no name of a function. */
bool otel_calls_copy(struct span list, struct buf *to) MUST_CHECK;
/* Appends a list of definitions as a chat's tools. False: it is no list, or a definition has no
 * name. */
bool otel_tools_put(struct span list, struct buf *to) MUST_CHECK;
