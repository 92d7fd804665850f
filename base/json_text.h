#pragma once
/*
 * json_text - writes values as JSON to a buf. Pure. Separate from base/json.h, so that files that
 * include <jansson.h> can use it too.
 */
#include "base/buf.h"

/* With quotes and the escapes that JSON requires; UTF-8 is unchanged, invalid UTF-8 becomes
 * U+FFFD. */
void json_put_string(struct buf *to, struct span s);
void json_put_number(
        struct buf *to, double value); /* shortest form that reads back; non-finite: null */
/* A document with its line ends replaced by spaces; they occur only between its members. */
void json_put_on_one_line(struct buf *to, struct span document);
