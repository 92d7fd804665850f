#pragma once
/*
 * exhibit_text - what engines and clients wrote, as strings of a document.
 */
#include <jansson.h>

#include "base/buf.h"

/*
 * At most limit bytes of it, cut at a character. Bytes that are no UTF-8, and NUL, which many
 * readers of JSON refuse, are written \xNN. *ret_left, if
 * not NULL: how many bytes were cut off.
 */
json_t *exhibit_text(struct span s, size_t limit, size_t *ret_left);
/* NULL gives null. */
json_t *exhibit_name(const char *s);
/* Sets key to the text and key_left_out to what was cut, if any. */
void exhibit_set_text(json_t *to, const char *key, struct span s, size_t limit);
