#pragma once
/*
 * schema - writes JSON that is valid against a simple subset of JSON Schema, for arguments of tool
 * calls and for constrained answers.
 *
 * It supports type, properties, required (all properties are written), enum, const, items, anyOf
 * and oneOf (the first alternative). A hash of the prompt chooses the values, so that the same
 * question gives the same call.
 */
#include "backends/engine/ask.h"

/* Decides whether a tool call or constrained JSON answers this chat. If so, makes it: sets
 * call_name and call_arguments of a call, and the tokens in `forced`. False: *ret_problem says
 * why it cannot. */
bool schema_choose(struct ask *ask, struct ask_problem *ret_problem) MUST_CHECK;
/* Appends a document; schema may be empty. */
void schema_write(struct span schema, uint64_t seed, struct buf *to);
