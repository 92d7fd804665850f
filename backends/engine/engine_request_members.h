#pragma once
/*
 * engine_request_members - reads and checks the members of a request to the simulated engine.
 */
#include "backends/engine/engine_request.h"
#include "base/json.h"

/* Reads one member of the body; ignores unknown ones, and those that are null. False: *ret_problem
 * says why. */
bool engine_request_read_member(struct engine_request *request, const struct json_member *member,
        struct engine_problem *ret_problem) MUST_CHECK;
