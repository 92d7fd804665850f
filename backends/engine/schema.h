#pragma once
/*
 * schema - JSON that is valid against a simple reading of a schema: arguments of tool calls,
 * constrained answers.
 *
 * Read are: type, properties, required (all properties are given), enum, const, items, anyOf/oneOf
 * (the first). Values are chosen by a hash of the prompt, so that the same question gives the same
 * call.
 */
#include "backends/engine/ask.h"

/* Decides whether this chat is answered by a tool call or by constrained JSON, and makes it. */
bool schema_choose(struct ask *ask, struct ask_problem *ret_problem) MUST_CHECK;
/* Appends a document; schema may be empty. */
void schema_write(struct span schema, uint64_t seed, struct buf *to);
