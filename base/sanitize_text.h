#pragma once
/*
 * sanitize_text - makes foreign text safe to print: no control sequence reaches the terminal.
 */
#include "base/buf.h"

/* Both put a space in place of each control character (C0, DEL and C1), and "?" in place of each
 * byte that is not UTF-8. */

/* Returns a copy, with "..." in place of what is beyond limit bytes. The caller frees it. */
char *sanitize_text(struct span text, size_t limit);
/* Appends the text. A text of more than `limit` characters (at least 1) is cut, and then ends with
 * "…". */
void sanitize_put(struct buf *to, struct span text, size_t limit);
