#pragma once
/*
 * target_hint - a suggestion for a target that is neither a URL nor a known name.
 */
#include "base/check.h"

/* The end of an error message about the target `to`: a full stop and a sentence, or an empty
 * text. The caller frees it. */
char *target_hint(const char *to) MUST_CHECK;
