#pragma once
/*
 * request_line - an exchange's request as a line of OpenAI's batch input, as plumbline replay and
 * others read it.
 */
#include "base/buf.h"
#include "capture/capture.h"

/* Appends the line with its line end. Returns NULL, or why this exchange has none; nothing is then
 * appended. */
const char *request_line_put(
        struct buf *to, struct capture *c, const struct capture_exchange *e) MUST_CHECK;
