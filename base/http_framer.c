#include "base/http_framer.h"

#include <errno.h>
#include <stdlib.h>

#include <llhttp.h>

#include "base/mem.h"

struct http_framer {
	llhttp_t parser;
	llhttp_settings_t settings;
	http_framer_body_fn on_body;
	void *arg;
	const struct http_framer_head *head; /* during http_framer_begin() */
	size_t extension_limit;
	size_t extensions;
	enum http_framer_state state;
	const char *problem;
};

static int on_headers_complete(llhttp_t *parser)
{
	struct http_framer *f = parser->data;
	const struct http_framer_head *head = f->head;
	bool chunked = parser->flags & F_CHUNKED;
	bool has_length = parser->flags & F_CONTENT_LENGTH;
	if (!head || chunked != head->chunked || has_length != head->has_length ||
	        (has_length && parser->content_length != head->length)) {
		f->problem = "The head can be framed in two ways.";
		return -1;
	}
	parser->upgrade = 0; /* the caller handles Upgrade */
	return head->no_body ? 1 : 0;
}

static int on_body(llhttp_t *parser, const char *data, size_t len)
{
	struct http_framer *f = parser->data;
	if (len) {
		f->on_body(f->arg, data, len);
	}
	return 0;
}

/* llhttp would parse trailers by its own rules, so parsing pauses here until http.c has checked
 * them. */
static int on_chunk_header(llhttp_t *parser)
{
	struct http_framer *f = parser->data;
	if (parser->content_length == 0) {
		f->state = HTTP_FRAMER_TRAILERS;
		return HPE_PAUSED;
	}
	return 0;
}

static int on_chunk_extension(llhttp_t *parser, const char *data, size_t len)
{
	struct http_framer *f = parser->data;
	f->extensions += len;
	if (f->extensions > f->extension_limit) {
		f->problem = "The chunk extensions are too long.";
		return -1;
	}
	return 0;
}

static int on_message_complete(llhttp_t *parser)
{
	struct http_framer *f = parser->data;
	f->state = HTTP_FRAMER_COMPLETE;
	return HPE_PAUSED;
}

struct http_framer *http_framer_create(
        bool requests, size_t extension_limit, http_framer_body_fn on_body_fn, void *arg)
{
	struct http_framer *f = xmalloc(sizeof(*f));
	*f = (struct http_framer){
	        .on_body = on_body_fn, .arg = arg, .extension_limit = extension_limit};
	llhttp_settings_init(&f->settings);
	f->settings.on_headers_complete = on_headers_complete;
	f->settings.on_body = on_body;
	f->settings.on_chunk_header = on_chunk_header;
	f->settings.on_chunk_extension_name = on_chunk_extension;
	f->settings.on_chunk_extension_value = on_chunk_extension;
	f->settings.on_message_complete = on_message_complete;
	llhttp_init(&f->parser, requests ? HTTP_REQUEST : HTTP_RESPONSE, &f->settings);
	f->parser.data = f;
	return f;
}

void http_framer_destroy(struct http_framer *f)
{
	free(f);
}

int http_framer_begin(struct http_framer *f, const struct http_framer_head *head,
        enum http_framer_state *ret_state)
{
	llhttp_reset(&f->parser);
	f->head = head;
	f->extensions = 0;
	f->state = HTTP_FRAMER_BODY;
	f->problem = NULL;
	/* llhttp accepts only a list of methods, http_head.c any token. No method except CONNECT,
	 * which http_head.c refuses, affects framing, so llhttp receives the same method for all
	 * requests. */
	ssize_t n = 0;
	if (f->parser.type == HTTP_REQUEST) {
		n = http_framer_feed(f, "POST", 4, ret_state);
	}
	if (n >= 0) {
		n = http_framer_feed(f, head->after_method.data, head->after_method.len, ret_state);
	}
	f->head = NULL;
	if (n >= 0 && (size_t)n != head->after_method.len) {
		f->problem = "The head can be framed in two ways.";
		return -EPROTO;
	}
	return n < 0 ? (int)n : 0;
}

ssize_t http_framer_feed(
        struct http_framer *f, const char *data, size_t len, enum http_framer_state *ret_state)
{
	if (f->state == HTTP_FRAMER_TRAILERS) {
		llhttp_resume(&f->parser);
		f->state = HTTP_FRAMER_BODY;
	}
	llhttp_errno_t error = llhttp_execute(&f->parser, data, len);
	*ret_state = f->state;
	if (error == HPE_OK) {
		return (ssize_t)len;
	}
	if (error == HPE_PAUSED) {
		return llhttp_get_error_pos(&f->parser) - data;
	}
	if (!f->problem) {
		f->problem = f->head ? "The head is not HTTP/1.1."
		                     : "The chunks of the body are damaged.";
	}
	return -EPROTO;
}

const char *http_framer_problem(const struct http_framer *f)
{
	return f->problem;
}
