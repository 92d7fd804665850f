#pragma once
/*
 * sanitize_text - foreign text made safe to print: no control sequence reaches the terminal.
 */
#include "base/buf.h"

/*
 * Control characters (C0, DEL and C1) become spaces; what is beyond limit bytes becomes "...". The
 * caller frees the result.
 */
char *sanitize_text(struct span text, size_t limit);
