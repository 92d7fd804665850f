#pragma once
/*
 * target_hint - a suggestion for a target that is neither a URL nor a known name.
 */
#include "base/check.h"

/* A sentence to append to an error, beginning with a full stop; "": none. The caller frees it. */
char *target_hint(const char *to) MUST_CHECK;
