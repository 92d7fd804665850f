#pragma once
/*
 * json_text - values written as JSON, appended to a buf. Pure; beside base/json.h, which reads them, and for
 * those who include <jansson.h> too.
 */
#include "base/buf.h"

/* With quotes, escaped as far as JSON asks; UTF-8 goes as it is, bad UTF-8 becomes U+FFFD. */
void json_put_string(struct buf *to, struct span s);
void json_put_number(
        struct buf *to, double value); /* shortest form that reads back; non-finite: null */
/* A document as it is, but without line ends: those stand only between its members, where a space says the same. */
void json_put_on_one_line(struct buf *to, struct span document);
