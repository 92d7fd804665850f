#pragma once
/*
 * json_text - writes values as JSON to a buf. Pure.
 */
#include "base/buf.h"

/* Appends s with quotes and the escapes that JSON requires. Valid UTF-8 is unchanged, invalid
 * UTF-8 becomes U+FFFD. */
void json_put_string(struct buf *to, struct span s);
/* As json_put_string(), with \u escapes for all characters that are not ASCII. */
void json_put_ascii_string(struct buf *to, struct span s);
/* Appends the number with 15 to 17 significant digits, as few as give the same number when it is
 * read; null for NaN and infinity. */
void json_put_number(struct buf *to, double value);
/* Appends a document and replaces its line ends by spaces. They must occur only between tokens,
 * as in any valid document. */
void json_put_on_one_line(struct buf *to, struct span document);
