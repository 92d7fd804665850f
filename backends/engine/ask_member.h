#pragma once
/*
 * ask_member - the meaning and the valid values of each member of a request to the simulated
 * engine.
 */
#include "backends/engine/ask.h"
#include "base/json.h"

/* Ignores unknown members. value: the first token; text: the whole value, which must outlive the
 * ask. False: *ret_problem says why. */
bool ask_member_take(struct ask *ask, const struct json_token *key, const struct json_token *value,
        struct span text, struct ask_problem *ret_problem) MUST_CHECK;
