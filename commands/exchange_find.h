#pragma once
/*
 * exchange_find - the one exchange whose id begins with what a user gave.
 */
#include "capture/capture.h"

/*
 * EXIT_PASS: *ret is filled, finish it. Else an exit code, and *ret_problem is a sentence (the caller frees
 * it): no id, no such exchange, or several.
 */
int exchange_find(struct capture *c, const char *text, struct capture_exchange *ret,
        char **ret_problem) MUST_CHECK;
