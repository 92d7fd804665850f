#include "backends/transport/transport.h"

bool transport_may_keep(const struct http_head *head, bool is_head)
{
	bool announced = (head->has_length && head->length > 0) ||
	                 http_field(head, "transfer-encoding").data;
	if (!head->keep_alive || head->minor == 0) {
		return false;
	}
	if (is_head) {
		return head->has_length && !announced;
	}
	return !announced || (head->status != 204 && head->status != 304);
}

bool transport_is_safe(const struct upstream_request *request)
{
	static const char *const methods[] = {"GET", "HEAD", "OPTIONS", "TRACE"};
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (span_is(request->method, methods[i])) {
			return !request->has_body;
		}
	}
	return false;
}
