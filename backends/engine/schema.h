#pragma once
/*
 * schema - writes JSON that is valid against a simple subset of JSON Schema: arguments of tool
 * calls, constrained answers.
 *
 * Supported: type, properties, required (all properties are written), enum, const, items,
 * anyOf/oneOf (the first). A hash of the prompt chooses the values, so that the same question gives
 * the same call.
 */
#include "backends/engine/ask.h"

/* Decides whether this chat is answered by a tool call or by constrained JSON, and makes it. */
bool schema_choose(struct ask *ask, struct ask_problem *ret_problem) MUST_CHECK;
/* Appends a document; schema may be empty. */
void schema_write(struct span schema, uint64_t seed, struct buf *to);
