#pragma once
/*
 * exchange_text - an exchange as text for people, for `capture show`.
 *
 * Texts of clients and engines are marked, so that they cannot look like plumbline's own lines, and
 * have no control characters.
 */
#include "capture/capture.h"

/* Appends the request, each backend's answer, and where the answers first differ. */
void exchange_text_put(struct buf *to, struct capture *c, const struct capture_exchange *e);
