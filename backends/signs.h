#pragma once
/*
 * signs - whether an answer has the sign of an engine. Pure.
 */
#include <stdbool.h>

#include <jansson.h>

#include "backends/dialect.h"
#include "base/buf.h"

/*
 * status, head ("Name: value" lines) and body are those of a GET of the sign's path. Members are
 * searched in 2xx answers that are JSON; header fields and text in any answer.
 */
bool dialect_match(
        const struct sign *sign, int status, struct span head, struct span body) MUST_CHECK;
/* The member at a dotted path, such as "data.0.owned_by" (a borrowed reference); NULL: none. */
const json_t *json_member_at(const json_t *value, const char *path);
/* The engine whose answers have such a system_fingerprint, or NULL. */
const struct dialect *dialect_of_fingerprint(const char *fingerprint);
