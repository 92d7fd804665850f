#pragma once
/*
 * resend - decides whether a recorded request can be sent again: it must be the request that was
 * sent.
 */
#include "capture/record.h"

/*
 * Returns NULL if the request can be sent again, else a sentence without a full stop that says why
 * not. In a redacted capture, only requests without placeholders can. placeholders: requests with
 * placeholders can, too.
 */
const char *resend_unfit(const struct exchange_row *row, bool placeholders) MUST_CHECK;
/* A static sentence without a full stop that says why capture_request_body() failed with this
 * error. */
const char *resend_unread(int error) MUST_CHECK;
/* True if the request's body or row has placeholders. */
bool resend_is_redacted(const struct exchange_row *row);
