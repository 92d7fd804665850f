#pragma once
/*
 * sanitize_text - makes foreign text safe to print: no control sequence reaches the terminal.
 */
#include "base/buf.h"

/* Returns a copy with a space for each control character (C0, DEL and C1), and with "..." in place
 * of what is beyond limit bytes. The caller frees it. */
char *sanitize_text(struct span text, size_t limit);
/* Appends the text with a space for each control character and "?" for each byte that is not UTF-8.
 * A text of more than `limit` characters (at least 1) is cut, and then ends with "…". */
void sanitize_put(struct buf *to, struct span text, size_t limit);
