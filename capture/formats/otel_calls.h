#pragma once
/*
 * otel_calls - tools in spans, as a chat has them: what was offered, what was called, and what the tools said. JSON to JSON;
 * one thread.
 */
#include "base/buf.h"

/*
 * Appends a part of type "tool_call" as an element of a chat's tool_calls, behind a comma if there is one already.
 * False: it names no function. *ret_named: it has an id.
 */
bool otel_call_put(struct span part, struct buf *to, bool *ret_named) MUST_CHECK;
/* Appends a part of type "tool_call_response" as a message of a chat, likewise. False: it says nothing, or not to which call. */
bool otel_result_put(struct span part, struct buf *to) MUST_CHECK;
/* Appends the elements of a chat's own tool_calls as they are. False: one of them names no function. */
bool otel_calls_copy(struct span list, struct buf *to) MUST_CHECK;
/* Appends a list of definitions as a chat's tools, which is a list as well. False: it is none, or one has no name. */
bool otel_tools_put(struct span list, struct buf *to) MUST_CHECK;
