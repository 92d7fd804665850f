#pragma once
/*
 * exchange_text - writes an exchange as text for people, for `plumbline capture show`.
 *
 * Each line of a text that a client or an engine wrote begins with a mark, and control characters
 * are left out. So such a text cannot look like plumbline's own lines.
 */
#include "capture/capture.h"

/* Appends the request, each backend's answer, and where the answers first differ. */
void exchange_text_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
