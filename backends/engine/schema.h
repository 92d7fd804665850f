#pragma once
/*
 * schema - writes JSON that is valid against a simple subset of JSON Schema, for arguments of tool
 * calls and for constrained answers.
 *
 * It supports type, properties, required (all properties are written), enum, const, items, anyOf
 * and oneOf (the first alternative). A hash of the prompt chooses the values, so that the same
 * question gives the same call.
 */
#include "backends/engine/engine_request.h"

/* Decides whether a tool call or constrained JSON answers this chat. If so, sets `forced`, and for
 * a call also call_name. With tool_choice auto, the messages must have the tool's name, or a word
 * such as "weather". False: tool_choice demands a tool that is not offered (*ret_problem). */
bool schema_choose(struct engine_request *request, struct engine_problem *ret_problem) MUST_CHECK;
