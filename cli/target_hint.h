#pragma once
/*
 * target_hint - what somebody may have meant by a target that is neither a URL nor a name that is known.
 */
#include "base/check.h"

/* A sentence to be put behind another one, from its full stop on; "": nobody knows. The caller's. */
char *target_hint(const char *to) MUST_CHECK;
