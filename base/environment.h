#pragma once
/*
 * environment - values that users keep in environment variables, such as API keys.
 *
 * For start-up only: nothing may change the environment meanwhile.
 */
#include "base/check.h"

/* Returns NULL and sets *ret to the value, which lives as long as the environment. Or returns a
 * sentence, which never quotes the value: the variable is not set, is empty, or has a control
 * character, which HTTP headers must not have. It quotes the name only if that has the usual form:
 * capital letters, digits and underscores. */
char *environment_read(const char *variable, const char **ret) MUST_CHECK;
