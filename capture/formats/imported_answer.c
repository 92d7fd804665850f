#include "capture/formats/imported_answer.h"

#include <errno.h>
#include <inttypes.h>

#include "answers/reading.h"
#include "base/ascii.h"
#include "base/inflate.h"
#include "base/json.h"
#include "capture/formats/member_writer.h"

enum endpoint imported_answer_endpoint(const struct imported_answer *a)
{
	if (a->sent.len) {
		return endpoint_of(SPAN("POST"), a->target);
	}
	return a->is_completion ? ENDPOINT_COMPLETION : ENDPOINT_CHAT;
}

/* Whether a document is truncated. A complete one has its last bracket, or is no JSON at all, as
 * an error page. */
static bool is_truncated(struct span document)
{
	struct span s = span_trim(document);
	struct json j;
	if (!s.len || (s.data[0] != '{' && s.data[0] != '[')) {
		return !s.len;
	}
	struct json_token t = json_begin_lenient(&j, s);
	return json_skip(&j, &t).len == 0;
}

static bool is_unfinished(const struct imported_answer *a, struct span body)
{
	const struct reading_hints hints = {
	        .endpoint = imported_answer_endpoint(a),
	        .status = a->status,
	        .framing = framing_of_type(a->content_type),
	};
	struct reader *reader = reader_create(&hints);
	reader_feed(reader, body.data, body.len);
	struct reading *r = reader_end(reader, true);
	bool ended = !(r->marks & READING_NO_DONE) || (r->marks & READING_ERROR_BODY) ||
	             (r->n_choices && !(r->marks & READING_CUT));
	bool is_stream =
	        r->n_events > 0 || hints.framing == FRAMING_SSE || hints.framing == FRAMING_NDJSON;
	reading_destroy(r);
	return is_stream ? !ended : is_truncated(body);
}

enum outcome imported_answer_outcome(const struct imported_answer *a)
{
	struct buf decoded = {0};
	struct span body = a->received;
	bool good = true;
	/* For other status codes the form of a complete answer is unknown. */
	if (a->outcome || !a->sent.len || a->status < 200 || a->status > 299) {
		return a->outcome ? a->outcome : OUTCOME_COMPLETE;
	}
	if (a->content_encoding.len && !span_is_nocase(a->content_encoding, "identity")) {
		/* A body with an unknown coding cannot be judged. */
		int r = inflate_body(a->content_encoding, body, DECODED_LIMIT, &decoded);
		body = buf_span(&decoded);
		good = r != -EBADMSG;
		if (r == -ENOTSUP || r == -EMSGSIZE) {
			buf_finish(&decoded);
			return OUTCOME_COMPLETE;
		}
	}
	bool whole = good && !is_unfinished(a, body);
	buf_finish(&decoded);
	return whole ? OUTCOME_COMPLETE : OUTCOME_BROKEN;
}

void imported_answer_put_request(const struct imported_answer *a, struct buf *to, size_t *ret_head)
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

static void put_origin(const struct imported_answer *a, struct buf *to)
{
	buf_append_str(to, ",\"imported\":{\"format\":");
	json_put_string(to, span_of(a->format));
	member_string(to, "file", a->file);
	buf_printf(to, ",\"line\":%" PRIu64 ",\"from\":", a->line);
	buf_append_span(to, a->origin);
	buf_append_char(to, '}');
}

void imported_answer_put_body(const struct imported_answer *a, struct buf *to)
{
	if (a->sent.len) {
		buf_append_span(to, a->received);
		return;
	}
	buf_append_str(to, a->is_completion ? "{\"object\":\"text_completion\""
	                                    : "{\"object\":\"chat.completion\"");
	struct span named = a->named.len ? a->named : a->model;
	member_json(to, "model", named);
	buf_append_str(to, ",\"choices\":[{\"index\":0,");
	if (a->is_completion) {
		buf_append_str(to, "\"text\":");
		buf_append_span(to, a->text);
	} else {
		buf_append_str(to, "\"message\":{\"role\":\"assistant\",\"content\":");
		buf_append_span(to, a->text);
		member_json(to, "reasoning_content", a->reasoning);
		member_json(to, "tool_calls", a->calls);
		buf_append_char(to, '}');
	}
	member_json(to, "logprobs", a->logprobs);
	member_json(to, "finish_reason", a->finish.len ? a->finish : SPAN("null"));
	buf_append_str(to, "}]");
	member_json(to, "usage", a->usage);
	put_origin(a, to);
	buf_append_char(to, '}');
}
