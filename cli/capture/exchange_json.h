#pragma once
/*
 * exchange_json - an exchange of a capture as one line of JSON: the form of `capture export` and
 * `show --json`.
 *
 * docs/format.md tells its members. Bytes that are not UTF-8 become {"base64": "..."}.
 */
#include <stddef.h>

#include "capture/capture.h"

/* Appends one object, without a line end. */
void exchange_json_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
/* A short one: what `ls` tells. */
void exchange_json_put_row(struct buf *to, const struct capture_exchange *e);
