#pragma once
/*
 * ask_member - reads and checks the members of a request to the simulated engine.
 */
#include "backends/engine/ask.h"
#include "base/json.h"

/* Reads one member; ignores unknown ones. value: its first token; text: its whole value, which
 * must outlive the ask. False: *ret_problem says why. */
bool ask_member_read(struct ask *ask, const struct json_token *key, const struct json_token *value,
        struct span text, struct ask_problem *ret_problem) MUST_CHECK;
