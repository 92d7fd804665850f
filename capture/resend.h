#pragma once
/*
 * resend - whether a recorded request is still the one that was sent, so that it can be sent again.
 */
#include "capture/record.h"

/*
 * Returns NULL if it is, and its body can be read; else why not, a sentence without a full stop. In
 * a redacted capture, requests without replacements qualify. placeholders: those with placeholders
 * qualify too.
 */
const char *resend_unfit(const struct exchange_row *row, bool placeholders) MUST_CHECK;
/* Why capture_request_body() returned no body: also a sentence without a full stop. */
const char *resend_unread(int error) MUST_CHECK;
/* True if its body or its row has placeholders. */
bool resend_is_redacted(const struct exchange_row *row);
