#pragma once
/*
 * engine_signs - checks whether an answer has the sign of an engine. Pure.
 */
#include <stdbool.h>

#include <jansson.h>

#include "backends/dialects/dialect.h"
#include "base/buf.h"

/*
 * True if the answer to a GET of the sign's path has the sign. head: "Name: value" lines. Members
 * are searched in 2xx answers that are JSON; header fields and text in any answer. For SIGN_ANSWERS
 * only the status is checked: the caller must check that the body is a JSON object.
 */
bool dialect_match(
        const struct sign *sign, int status, struct span head, struct span body) MUST_CHECK;
/* The member at a path with dots, such as "data.0.owned_by"; "": the value itself. A borrowed
 * reference; NULL: there is none. */
const json_t *json_member_at(const json_t *value, const char *path);
/* The dialect of the engine whose answers have such a system_fingerprint. NULL: there is none, or
 * fingerprint is NULL. */
const struct dialect *dialect_of_fingerprint(const char *fingerprint);
