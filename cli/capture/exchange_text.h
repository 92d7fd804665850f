#pragma once
/*
 * exchange_text - all that is known of an exchange, for people to read: the form of `capture show`.
 *
 * What clients and engines sent is shown so that it can't be taken for a line of ours, and without
 * control characters.
 */
#include "capture/capture.h"

/* Appends the request, each backend's answer, and where the answers part. */
void exchange_text_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
