#pragma once
/*
 * exchange_json - an exchange as one line of JSON, for `capture export` and `show --json`.
 *
 * docs/format.md describes its members. Bytes that are not UTF-8 become {"base64": "..."}.
 */
#include <stddef.h>

#include "capture/capture.h"

/* Appends one object, without a line end. */
void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
/* A short object, for `ls`. */
void exchange_json_put_row(struct buf *to, const struct capture_exchange *e);
