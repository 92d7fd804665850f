#pragma once
/*
 * ask_member - what each member of a request to the simulated engine means, and which values it may
 * have.
 */
#include "backends/engine/ask.h"
#include "base/json.h"

/* Members that are not known are passed over. value: its first token; text: all of it, which must
 * outlive the ask. False: the problem says why. */
bool ask_member_take(struct ask *ask, const struct json_token *key, const struct json_token *value,
        struct span text, struct ask_problem *ret_problem) MUST_CHECK;
