#pragma once
/*
 * request_line - an exchange's request as a line of OpenAI's batch input, which `plumbline replay`
 * and other tools read.
 */
#include "base/buf.h"
#include "capture/capture.h"

/* Appends the line with its line end. Returns NULL, or why this exchange has no such line (then
 * nothing is appended). */
const char *request_line_put(
        struct buf *to, struct capture *c, const struct capture_exchange *e) MUST_CHECK;
