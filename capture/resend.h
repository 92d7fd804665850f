#pragma once
/*
 * resend - decides whether a recorded request can be sent again: its whole body must be recorded.
 */
#include "capture/record.h"

/*
 * Returns NULL if the request can be sent again, else a sentence without a full stop that says why
 * not. placeholders: true also admits requests in which placeholders replace private text.
 */
const char *resend_unfit(const struct exchange_row *row, bool placeholders) MUST_CHECK;
/* Why capture_request_body() failed with this error: a static sentence without a full stop. */
const char *resend_unread(int error) MUST_CHECK;
/* True if the request's body or row has placeholders. */
bool resend_is_redacted(const struct exchange_row *row);
