#pragma once
/*
 * exchange_json - an exchange as one line of JSON, for `plumbline capture export`, `show --json`.
 *
 * docs/format.md describes the members. Bytes that are not UTF-8 become {"base64": "..."}.
 */
#include <stddef.h>

#include "capture/capture.h"

/* Appends one object with all legs, without a line end. */
void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
/* Appends a short object with the rows only, without bodies, edits and readings, for `plumbline
 * capture ls`. */
void exchange_json_put_row(struct buf *to, const struct capture_exchange *e);
