#include "capture/resend.h"

#include <errno.h>

bool resend_is_redacted(const struct exchange_row *row)
{
	return row->content == CONTENT_REDACTED && row->redactions > 0;
}

const char *resend_unfit(const struct exchange_row *row, bool placeholders)
{
	if (row->content == CONTENT_METADATA ||
	        (row->marks & (EXCHANGE_TRUNCATED | EXCHANGE_BODY_CUT))) {
		return "its body was not recorded completely";
	}
	return resend_is_redacted(row) && !placeholders ? "private text in it was replaced" : NULL;
}

const char *resend_unread(int error)
{
	return error == -ENOENT    ? "its body is not in the capture"
	       : error == -ENOTSUP ? "its content coding cannot be decoded"
	                           : "its body is damaged";
}
