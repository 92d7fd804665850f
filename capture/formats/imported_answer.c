#include "capture/formats/imported_answer.h"

#include <errno.h>

#include "answers/reading.h"
#include "base/ascii.h"
#include "base/inflate.h"
#include "base/json.h"
#include "base/json_writer.h"

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

void imported_answer_put_body(const struct imported_answer *a, struct buf *to)
{
	if (a->sent.len) {
		buf_append_span(to, a->received);
		return;
	}
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "object", a->is_completion ? "text_completion" : "chat.completion");
	json_writer_raw(&w, "model", a->named.len ? a->named : a->model);
	json_writer_open(&w, "choices", '[');
	json_writer_open(&w, NULL, '{');
	json_writer_integer(&w, "index", 0);
	if (a->is_completion) {
		json_writer_raw(&w, "text", a->text);
	} else {
		json_writer_open(&w, "message", '{');
		json_writer_text(&w, "role", "assistant");
		json_writer_raw(&w, "content", a->text);
		json_writer_raw(&w, "reasoning_content", a->reasoning);
		json_writer_raw(&w, "tool_calls", a->calls);
		json_writer_close(&w, "}");
	}
	json_writer_raw(&w, "logprobs", a->logprobs);
	json_writer_raw(&w, "finish_reason", a->finish.len ? a->finish : SPAN("null"));
	json_writer_close(&w, "}]");
	json_writer_raw(&w, "usage", a->usage);
	json_writer_open(&w, "imported", '{');
	json_writer_string(&w, "format", span_of(a->format));
	json_writer_string(&w, "file", a->file);
	json_writer_count(&w, "line", a->line);
	json_writer_raw(&w, "from", a->origin);
	json_writer_close(&w, "}");
	json_writer_close(&w, "}");
}
