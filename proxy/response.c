#include "proxy/response.h"

#include <inttypes.h>
#include <string.h>

#include "proxy/client.h"
#include "proxy/worker.h"

void response_init(struct response *r, struct client *client, const struct http_head *request)
{
	*r = (struct response){
	        .client = client,
	        .head_only = span_is(request->method, "HEAD"),
	        .minor = request->minor,
	};
}

static void append_field(struct buf *to, const struct http_field *f)
{
	buf_append_span(to, f->name);
	buf_append_str(to, ": ");
	buf_append_span(to, f->value);
	buf_append_str(to, "\r\n");
}

/* A client that has already left gets no status. */
static void send_head(struct response *r, int status, struct buf *text, bool cork)
{
	if (r->client) {
		r->status = status;
		client_send(r->client, &(struct span){text->data, text->len}, 1, cork);
	}
	buf_finish(text);
}

static void append_start(struct buf *to, const struct http_head *head)
{
	buf_append_str(to, "HTTP/1.1 ");
	buf_append_number(to, (uint64_t)head->status);
	buf_append_char(to, ' ');
	buf_append_span(to, head->reason);
	buf_append_str(to, "\r\n");
}

/* Appends the fields that describe the engine's answer, not the connection. Content-Length
 * describes a body, which none of these answers has. */
static void append_bodiless(struct buf *to, const struct http_head *head)
{
	append_start(to, head);
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];
		if (!http_is_hop_by_hop(head, f->name) &&
		        !span_is_nocase(f->name, "content-length")) {
			append_field(to, f);
		}
	}
}

void response_interim(struct response *r, const struct http_head *head)
{
	/* HTTP/1.0 has no interim responses. */
	if (!r->client || r->state != RESPONSE_WAITING || r->minor < 1) {
		return;
	}
	struct buf text = {0};
	append_bodiless(&text, head);
	buf_append_str(&text, "\r\n");
	client_send(r->client, &(struct span){text.data, text.len}, 1, false);
	buf_finish(&text);
}

void response_switch(struct response *r, const struct http_head *head)
{
	struct buf text = {0};
	r->state = RESPONSE_BODY;
	r->framing = HTTP_UNTIL_CLOSE;
	append_bodiless(&text, head);
	buf_append_str(&text, "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
	send_head(r, head->status, &text, false);
}

static void choose_framing(struct response *r, const struct http_head *head, int64_t *length)
{
	if (*length == RESPONSE_LENGTH_KEPT) {
		*length = head->has_length ? (int64_t)head->length : RESPONSE_LENGTH_UNKNOWN;
	}
	if (r->head_only || head->status == 204 || head->status == 304) {
		r->framing = HTTP_NO_BODY;
	} else if (*length >= 0) {
		r->framing = HTTP_LENGTH;
	} else {
		r->framing = r->minor >= 1 ? HTTP_CHUNKED : HTTP_UNTIL_CLOSE;
	}
}

/* Whether the connection closes after this answer. The client must know before it sends another
 * request. */
static bool is_draining(const struct response *r)
{
	return r->client && worker_draining(r->client->worker);
}

/* The answer to HEAD keeps the engine's length. 204 has none by the standard. */
static bool sends_length(const struct response *r, const struct http_head *head)
{
	return r->framing == HTTP_LENGTH || (r->framing == HTTP_NO_BODY && head->status != 204);
}

void response_begin(struct response *r, const struct http_head *head, int64_t length, bool keep)
{
	if (r->state != RESPONSE_WAITING) {
		return;
	}
	struct buf text = {0};
	r->state = RESPONSE_BODY;
	choose_framing(r, head, &length);
	r->keep = keep && r->framing != HTTP_UNTIL_CLOSE && !is_draining(r);

	append_start(&text, head);
	bool length_sent = false;
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];
		if (http_is_hop_by_hop(head, f->name)) {
			continue;
		}
		if (!span_is_nocase(f->name, "content-length")) {
			append_field(&text, f);
		} else if (sends_length(r, head) && length >= 0) {
			buf_append_span(&text, f->name);
			buf_append_str(&text, ": ");
			buf_append_number(&text, (uint64_t)length);
			buf_append_str(&text, "\r\n");
			length_sent = true;
		}
	}
	if (r->framing == HTTP_LENGTH && !length_sent) {
		buf_printf(&text, "content-length: %" PRId64 "\r\n", length);
	} else if (r->framing == HTTP_CHUNKED) {
		buf_append_str(&text, "Transfer-Encoding: chunked\r\n");
	}
	if (!r->keep) {
		buf_append_str(&text, "Connection: close\r\n");
	} else if (r->minor == 0) {
		buf_append_str(&text, "Connection: keep-alive\r\n");
	}
	buf_append_str(&text, "\r\n");
	send_head(r, head->status, &text, true);
}

bool response_body(struct response *r, const char *data, size_t len, size_t window)
{
	if (!r->client || r->state != RESPONSE_BODY || r->framing == HTTP_NO_BODY || !len) {
		return true;
	}
	r->sent += len;
	if (r->framing == HTTP_CHUNKED) {
		char size[BUF_HEX_SIZE + 2];
		size_t n = buf_put_hex(size, len);
		memcpy(size + n, "\r\n", 2);
		struct span parts[] = {{size, n + 2}, {data, len}, {"\r\n", 2}};
		client_send(r->client, parts, ARRAY_LEN(parts), false);
	} else {
		client_send(r->client, &(struct span){data, len}, 1, false);
	}
	/* Sending may have found that the client has gone. */
	return !r->client || client_queued(r->client) <= window;
}

void response_end(struct response *r, bool request_whole)
{
	if (r->state == RESPONSE_ENDED) {
		return;
	}
	r->state = RESPONSE_ENDED;
	if (r->client && r->framing == HTTP_CHUNKED) {
		client_send(r->client, &(struct span){"0\r\n\r\n", 5}, 1, false);
	}
	if (r->client) {
		client_answered(r->client, r->keep && request_whole);
	}
}

void response_abort(struct response *r)
{
	if (r->state == RESPONSE_ENDED) {
		return;
	}
	bool hard = r->state == RESPONSE_BODY && r->framing == HTTP_UNTIL_CLOSE;
	r->state = RESPONSE_ENDED;
	if (r->client) {
		client_abort(r->client, hard);
	}
}

void response_error_text(struct buf *to, int status, const char *code, const char *message,
        bool keep, bool head_only)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"error\":{\"message\":");
	json_put_string(&body, span_of(message));
	buf_printf(&body, ",\"type\":\"proxy_error\",\"param\":null,\"code\":\"%s\"}}", code);
	buf_printf(to,
	        "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n%s\r\n",
	        status, http_reason(status), body.len, keep ? "" : "Connection: close\r\n");
	if (!head_only) {
		buf_append_span(to, buf_span(&body));
	}
	buf_finish(&body);
}

void response_error(
        struct response *r, int status, const char *code, const char *message, bool keep)
{
	if (r->state != RESPONSE_WAITING) {
		return;
	}
	r->state = RESPONSE_ENDED;
	if (!r->client) {
		return;
	}
	struct buf text = {0};
	keep = keep && r->minor >= 1 && !is_draining(r);
	response_error_text(&text, status, code, message, keep, r->head_only);
	send_head(r, status, &text, false);
	if (r->client) {
		client_answered(r->client, keep);
	}
}
