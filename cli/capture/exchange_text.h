#pragma once
/*
 * exchange_text - an exchange as text for people, for `plumbline capture show`.
 *
 * Texts of clients and engines have marks at their lines and no control characters, so that they
 * cannot look like plumbline's own lines.
 */
#include "capture/capture.h"

/* Appends the request, each backend's answer, and where the answers first differ. */
void exchange_text_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
