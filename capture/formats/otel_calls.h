#pragma once
/*
 * otel_calls - converts tools in spans to the form of a chat: definitions, calls and results. JSON
 * to JSON; one thread.
 */
#include "base/buf.h"

/*
 * Appends a part of type "tool_call" as an element of a chat's tool_calls, after a comma if it is
 * not the first. False: the part names no function. *ret_named: the call has an id.
 */
bool otel_call_put(struct span part, struct buf *to, bool *ret_named) MUST_CHECK;
/* Appends a part of type "tool_call_response" as a message of a chat. False: it is empty, or does
 * not name its call. */
bool otel_result_put(struct span part, struct buf *to) MUST_CHECK;
/* Copies the elements of a chat's tool_calls. False: one names no function. */
bool otel_calls_copy(struct span list, struct buf *to) MUST_CHECK;
/* Appends a list of definitions as a chat's tools. False: it is not a list, or one has no name. */
bool otel_tools_put(struct span list, struct buf *to) MUST_CHECK;
