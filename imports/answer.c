#include "imports/answer.h"

#include <inttypes.h>

#include "base/json.h"

enum endpoint answer_endpoint(const struct answer *a)
{
	if (a->sent.len) {
		return endpoint_of(SPAN("POST"), a->target);
	}
	return a->is_completion ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
}

void answer_put_request(const struct answer *a, struct buf *to, size_t *ret_head)
{
	size_t before = to->len;
	if (a->sent.len) {
		buf_append_span(to, a->sent);
		*ret_head = 0;
		return;
	}
	buf_append_char(to, '{');
	if (a->model.len) {
		buf_append_str(to, "\"model\":");
		buf_append_span(to, a->model);
		buf_append_char(to, ',');
	}
	if (a->parameters.len) {
		buf_append_span(to, a->parameters);
		buf_append_char(to, ',');
	}
	*ret_head = to->len - before;
	if (a->is_completion) {
		buf_append_str(to, "\"prompt\":");
		buf_append_span(to, a->prompt);
	} else if (a->is_messages) {
		buf_append_str(to, "\"messages\":");
		buf_append_span(to, a->prompt);
	} else {
		buf_append_str(to, "\"messages\":[{\"role\":\"user\",\"content\":");
		buf_append_span(to, a->prompt);
		buf_append_str(to, "}]");
	}
	buf_append_char(to, '}');
}

static void put_origin(const struct answer *a, struct buf *to)
{
	buf_append_str(to, ",\"imported\":{\"format\":");
	json_put_string(to, span_of(a->format));
	buf_append_str(to, ",\"file\":");
	json_put_string(to, a->file);
	buf_printf(to, ",\"line\":%" PRIu64 ",\"from\":", a->line);
	buf_append_span(to, a->origin);
	buf_append_char(to, '}');
}

void answer_put_body(const struct answer *a, struct buf *to)
{
	if (a->sent.len) {
		buf_append_span(to, a->received);
		return;
	}
	buf_append_str(to, a->is_completion ? "{\"object\":\"text_completion\""
	                                    : "{\"object\":\"chat.completion\"");
	if (a->model.len) {
		buf_append_str(to, ",\"model\":");
		buf_append_span(to, a->model);
	}
	buf_append_str(to, ",\"choices\":[{\"index\":0,");
	if (a->is_completion) {
		buf_append_str(to, "\"text\":");
		buf_append_span(to, a->text);
	} else {
		buf_append_str(to, "\"message\":{\"role\":\"assistant\",\"content\":");
		buf_append_span(to, a->text);
		buf_append_char(to, '}');
	}
	if (a->logprobs.len) {
		buf_append_str(to, ",\"logprobs\":");
		buf_append_span(to, a->logprobs);
	}
	buf_append_str(to, ",\"finish_reason\":null}]");
	put_origin(a, to);
	buf_append_char(to, '}');
}
