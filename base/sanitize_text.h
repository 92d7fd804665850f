#pragma once
/*
 * sanitize_text - makes foreign text safe to print: no control sequence reaches the terminal.
 */
#include "base/buf.h"

/*
 * Replaces control characters (C0, DEL and C1) by spaces, and what is beyond limit bytes by "...".
 * The caller frees the result.
 */
char *sanitize_text(struct span text, size_t limit);
/* Appends the text with a space for each control character and "?" for each byte that is no UTF-8.
 * Of more than `limit` characters it appends the first ones and "…". */
void sanitize_put(struct buf *to, struct span text, size_t limit);
