#pragma once
/*
 * environment - values that users keep in environment variables, such as API keys.
 *
 * For start-up only: nothing may change the environment meanwhile.
 */
#include "base/check.h"

/* *ret: the value, which lives as long as the environment. Returns NULL, or a sentence, which never
 * quotes the value: the variable is not set, is empty, or holds a control character, which no
 * header may hold. */
char *environment_read(const char *variable, const char **ret) MUST_CHECK;
