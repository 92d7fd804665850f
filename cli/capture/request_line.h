#pragma once
/*
 * request_line - an exchange's request as a line of OpenAI's batch input: what plumbline replay, and
 * others, read.
 */
#include "base/buf.h"
#include "capture/capture.h"

/* Appends the line with its end. NULL, or why this exchange has none (nothing is appended then). */
const char *request_line_put(
        struct buf *to, struct capture *c, const struct capture_exchange *e) MUST_CHECK;
