#pragma once
/*
 * target_hint - a suggestion for a target that is neither a URL nor a known name.
 */
#include "base/check.h"

/* The end of an error message about the target `to`. It begins with a full stop and continues
 * with a sentence, or is empty. The caller frees it. */
char *target_hint(const char *to) MUST_CHECK;
