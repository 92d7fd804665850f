#pragma once
/*
 * resend - whether a recorded request is still the one that was sent, so that sending it again asks the same.
 */
#include "capture/record.h"

/*
 * NULL: it is, and its body can be read; or why not, a sentence without a full stop. Of a redacted capture that is so
 * where nothing in the request was replaced; placeholders: those with placeholders will do too.
 */
const char *resend_unfit(const struct exchange_row *row, bool placeholders) MUST_CHECK;
/* Why capture_request_body() gave no body, likewise. */
const char *resend_unread(int error) MUST_CHECK;
/* Its body, or what its row says of it, has placeholders. */
bool resend_is_redacted(const struct exchange_row *row);
