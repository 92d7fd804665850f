#pragma once
/*
 * sanitize_text - somebody else's text as it may be shown: a terminal finds nothing in it to obey.
 */
#include "base/buf.h"

/* Control characters, C1's too, become spaces; what is beyond limit bytes becomes "...". The caller frees it. */
char *sanitize_text(struct span text, size_t limit);
