#pragma once
/*
 * verb_fail - the messages of a command that fails, on standard error, and its exit code.
 */
#include <stddef.h>

#include "base/exit_code.h"

/* Prints "plumbline COMMAND: WHY", frees `why`, and returns code. */
int verb_fail(const char *command, int code, char *why);
/* Prints each sentence as a line "plumbline COMMAND: SENTENCE". */
void verb_warn(const char *command, const char *const *sentences, size_t n);
