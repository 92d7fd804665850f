#include "base/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/http_framer.h"
#include "base/http_head.h"
#include "base/mem.h"

#define INTERIM_LIMIT 32
#define PENDING_KEPT 8192 /* memory for split heads that a parser retains */

enum state {
	STATE_HEAD,
	STATE_BODY,
	STATE_TRAILERS,
	STATE_DONE,
	STATE_FAILED,
};

struct http_parser {
	enum http_parser_kind kind;
	const struct http_parser_events *events;
	void *arg;
	enum state state;
	enum http_framing framing;
	struct http_framer *framer;
	struct buf pending; /* a head or trailer section received in pieces */
	size_t line;        /* of pending: where the current line begins */
	struct http_fields fields;
	unsigned interims;
	const char *may_switch; /* of the current message: the requested protocol; or NULL */
	struct http_problem problem;
};

static void on_framed_body(void *arg, const char *data, size_t len)
{
	struct http_parser *p = arg;
	p->events->on_body(p->arg, data, len);
}

struct http_parser *http_parser_create(
        enum http_parser_kind kind, const struct http_parser_events *events, void *arg)
{
	struct http_parser *p = xmalloc(sizeof(*p));
	*p = (struct http_parser){.kind = kind, .events = events, .arg = arg};
	p->framer = http_framer_create(
	        kind == HTTP_REQUEST, HTTP_CHUNK_EXTENSION_LIMIT, on_framed_body, p);
	return p;
}

void http_parser_destroy(struct http_parser *p)
{
	if (p) {
		http_framer_destroy(p->framer);
		buf_finish(&p->pending);
		free(p->fields.items);
		free(p);
	}
}

static ssize_t fail(struct http_parser *p, int status, const char *text)
{
	p->state = STATE_FAILED;
	p->problem = (struct http_problem){.status = status, .text = text};
	return -EPROTO;
}

static void complete(struct http_parser *p)
{
	p->state = STATE_DONE;
	p->events->on_complete(p->arg);
}

/* Finds a whole section: in the piece if it contains all of it, else in pending. Returns the bytes
 * consumed; *ret_section is empty until the end has arrived. The caller then calls
 * drop_section(). */
static ssize_t take_section(
        struct http_parser *p, const char *data, size_t len, struct span *ret_section)
{
	size_t before = p->pending.len;
	size_t room = MIN(len, HTTP_HEAD_LIMIT - before);
	*ret_section = (struct span){0};
	if (before) {
		buf_append(&p->pending, data, room);
		data = p->pending.data;
	}
	ssize_t end = http_section_end(data, before + room, &p->line, &p->problem);
	if (end > 0) {
		*ret_section = (struct span){data, (size_t)end};
		return end - (ssize_t)before;
	}
	if (end < 0) {
		p->state = STATE_FAILED;
		return end;
	}
	if (before + room == HTTP_HEAD_LIMIT) {
		bool in_request_line =
		        p->line == 0 && p->kind == HTTP_REQUEST && p->state == STATE_HEAD;
		return in_request_line ? fail(p, 414, "The request line is too long.")
		                       : fail(p, 431, "The head is too long.");
	}
	if (!before) {
		buf_append(&p->pending, data, room);
	}
	return (ssize_t)room;
}

static void drop_section(struct http_parser *p)
{
	buf_trim(&p->pending, PENDING_KEPT);
	p->line = 0;
}

/* Handles the head of a 101 answer. It must not declare a body length, since what follows is no
 * HTTP message. */
static int switch_protocols(struct http_parser *p, const struct http_head *head)
{
	bool no_body;
	if (!p->may_switch) {
		return (int)fail(p, 501, "The answer switches protocols, which was not requested.");
	}
	if (!http_upgrades_to(head, p->may_switch) || head->minor != 1 || head->has_length ||
	        http_field(head, "transfer-encoding").data) {
		return (int)fail(p, 400,
		        "The answer switches protocols, but its head is not valid for that.");
	}
	p->framing = HTTP_NO_BODY;
	p->events->on_head(p->arg, head, &no_body);
	complete(p);
	return 0;
}

static int begin_message(struct http_parser *p, struct http_head *head)
{
	bool no_body = false;
	if (p->kind == HTTP_RESPONSE && head->status == 101) {
		return switch_protocols(p, head);
	}
	if (p->kind == HTTP_RESPONSE && head->status < 200 && ++p->interims > INTERIM_LIMIT) {
		return (int)fail(p, 400, "There is no end of interim answers.");
	}
	/*
	 * The framer checks the head before the event, so that no caller sees a head that is
	 * refused. Only after the event is it known whether the body is omitted. Such a message
	 * ends with its head, and the framer, which is reset for each message, need not know of it.
	 */
	struct http_framer_head framer_head = {
	        .after_method = head->raw,
	        .no_body = head->framing == HTTP_NO_BODY && p->kind == HTTP_RESPONSE,
	        .chunked = http_field(head, "transfer-encoding").data != NULL,
	        .has_length = head->has_length,
	        .length = head->length,
	};
	framer_head.after_method.data += head->method.len;
	framer_head.after_method.len -= head->method.len;
	enum http_framer_state framed;
	if (http_framer_begin(p->framer, &framer_head, &framed) < 0) {
		return (int)fail(p, 400, http_framer_problem(p->framer));
	}
	p->framing = head->framing;
	p->events->on_head(p->arg, head, &no_body);
	if (p->kind == HTTP_RESPONSE && head->status < 200) {
		return 0;
	}
	p->state = STATE_BODY;
	if (framed == HTTP_FRAMER_COMPLETE || (no_body && p->kind == HTTP_RESPONSE)) {
		complete(p);
	}
	return 0;
}

static ssize_t take_head(struct http_parser *p, const char *data, size_t len)
{
	struct span section;
	ssize_t used = take_section(p, data, len, &section);
	if (used < 0 || !section.data) {
		return used;
	}
	if (section.len == 2) {
		/* Old clients send an extra CR LF after a body. */
		if (p->kind == HTTP_RESPONSE) {
			return fail(p, 400, "The answer begins with an empty line.");
		}
		drop_section(p);
		return used;
	}
	struct http_head head;
	if (http_head_parse(p->kind, section, &p->fields, &head, &p->problem) < 0) {
		p->state = STATE_FAILED;
		return -EPROTO;
	}
	int r = begin_message(p, &head);
	drop_section(p);
	return r < 0 ? r : used;
}

static ssize_t take_body(struct http_parser *p, const char *data, size_t len)
{
	enum http_framer_state framed;
	ssize_t used = http_framer_feed(p->framer, data, len, &framed);
	if (used < 0) {
		return fail(p, 400, http_framer_problem(p->framer));
	}
	if (framed == HTTP_FRAMER_TRAILERS) {
		p->state = STATE_TRAILERS;
	} else if (framed == HTTP_FRAMER_COMPLETE) {
		complete(p);
	}
	return used;
}

static ssize_t take_trailers(struct http_parser *p, const char *data, size_t len)
{
	struct span section;
	ssize_t used = take_section(p, data, len, &section);
	if (used < 0 || !section.data) {
		return used;
	}
	if (http_trailers_check(section, &p->fields, &p->problem) < 0) {
		p->state = STATE_FAILED;
		return -EPROTO;
	}
	/* llhttp must agree that they end the message here. */
	enum http_framer_state framed;
	ssize_t framed_bytes = http_framer_feed(p->framer, section.data, section.len, &framed);
	if (framed_bytes != (ssize_t)section.len || framed != HTTP_FRAMER_COMPLETE) {
		return fail(p, 400, "The trailers are damaged.");
	}
	drop_section(p);
	complete(p);
	return used;
}

ssize_t http_parser_feed(struct http_parser *p, const char *data, size_t len)
{
	size_t at = 0;
	while (at < len && p->state != STATE_DONE) {
		ssize_t used = -EPROTO;
		switch (p->state) {
		case STATE_HEAD:
			used = take_head(p, data + at, len - at);
			break;
		case STATE_BODY:
			used = take_body(p, data + at, len - at);
			break;
		case STATE_TRAILERS:
			used = take_trailers(p, data + at, len - at);
			break;
		case STATE_DONE:
		case STATE_FAILED:
			break;
		}
		if (used < 0) {
			return used;
		}
		at += (size_t)used;
	}
	return (ssize_t)at;
}

int http_parser_eof(struct http_parser *p)
{
	if (p->state == STATE_BODY && p->framing == HTTP_UNTIL_CLOSE) {
		complete(p);
		return 0;
	}
	return p->state == STATE_DONE || http_parser_idle(p) ? 0 : -ECONNRESET;
}

void http_parser_next(struct http_parser *p)
{
	expect(p->state == STATE_DONE);
	p->state = STATE_HEAD;
	p->interims = 0;
	p->may_switch = NULL;
}

void http_parser_may_switch(struct http_parser *p, const char *protocol)
{
	expect(p->kind == HTTP_RESPONSE);
	p->may_switch = protocol;
}

bool http_parser_idle(const struct http_parser *p)
{
	return p->state == STATE_HEAD && p->pending.len == 0 && p->interims == 0;
}

const struct http_problem *http_parser_problem(const struct http_parser *p)
{
	return &p->problem;
}

struct span http_field(const struct http_head *head, const char *name)
{
	struct span wanted = span_of(name);
	for (size_t i = 0; i < head->n_fields; i++) {
		if (span_equal_nocase(head->fields[i].name, wanted)) {
			return head->fields[i].value;
		}
	}
	return (struct span){0};
}

bool http_lines_next(struct span *head, struct http_field *ret)
{
	while (head->len) {
		const char *feed = memchr(head->data, '\n', head->len);
		struct span line = {head->data, feed ? (size_t)(feed - head->data) : head->len};
		const char *colon = memchr(line.data, ':', line.len);
		*head = span_from(*head, line.len + (feed != NULL));
		if (colon) {
			ret->name = span_between(line.data, colon);
			ret->value = span_trim(span_between(colon + 1, line.data + line.len));
			return true;
		}
	}
	return false;
}

struct span http_lines_field(struct span head, const char *name)
{
	struct http_field field;
	while (http_lines_next(&head, &field)) {
		if (span_is_nocase(field.name, name)) {
			return field.value;
		}
	}
	return (struct span){0};
}

bool http_upgrades_to(const struct http_head *head, const char *protocol)
{
	size_t n = 0;
	for (size_t i = 0; i < head->n_fields; i++) {
		n += span_is_nocase(head->fields[i].name, "upgrade");
	}
	return head->upgrade && n == 1 && span_is_nocase(http_field(head, "upgrade"), protocol);
}

static bool connection_names(const struct http_head *head, struct span name)
{
	size_t left = head->n_connection;
	for (size_t i = 0; left && i < head->n_fields; i++) {
		if (!span_is_nocase(head->fields[i].name, "connection")) {
			continue;
		}
		left--;
		struct span list = head->fields[i].value, option;
		while (http_list_next(&list, &option)) {
			if (option.len && span_equal_nocase(option, name)) {
				return true;
			}
		}
	}
	return false;
}

bool http_is_hop_by_hop(const struct http_head *head, struct span name)
{
	static const char *const hops[] = {
	        "te", "trailer", "upgrade", "connection", "keep-alive", "transfer-encoding"};
	/* Most names begin with another letter, which rules them out quickly. */
	bool may_be = name.len && strchr("tuckpTUCKP", *name.data);
	for (size_t i = 0; may_be && i < ARRAY_LEN(hops); i++) {
		if (span_is_nocase(name, hops[i])) {
			return true;
		}
	}
	if (name.len >= 6 && span_is_nocase((struct span){name.data, 6}, "proxy-")) {
		return true;
	}
	return connection_names(head, name);
}

const char *http_reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} reasons[] = {
	        {200, "OK"},
	        {400, "Bad Request"},
	        {404, "Not Found"},
	        {500, "Internal Server Error"},
	        {502, "Bad Gateway"},
	        {503, "Service Unavailable"},
	        {504, "Gateway Timeout"},
	        {100, "Continue"},
	        {101, "Switching Protocols"},
	        {103, "Early Hints"},
	        {201, "Created"},
	        {202, "Accepted"},
	        {204, "No Content"},
	        {206, "Partial Content"},
	        {301, "Moved Permanently"},
	        {302, "Found"},
	        {303, "See Other"},
	        {304, "Not Modified"},
	        {307, "Temporary Redirect"},
	        {308, "Permanent Redirect"},
	        {401, "Unauthorized"},
	        {402, "Payment Required"},
	        {403, "Forbidden"},
	        {405, "Method Not Allowed"},
	        {406, "Not Acceptable"},
	        {408, "Request Timeout"},
	        {409, "Conflict"},
	        {410, "Gone"},
	        {411, "Length Required"},
	        {412, "Precondition Failed"},
	        {413, "Content Too Large"},
	        {414, "URI Too Long"},
	        {415, "Unsupported Media Type"},
	        {416, "Range Not Satisfiable"},
	        {417, "Expectation Failed"},
	        {421, "Misdirected Request"},
	        {422, "Unprocessable Content"},
	        {424, "Failed Dependency"},
	        {425, "Too Early"},
	        {426, "Upgrade Required"},
	        {428, "Precondition Required"},
	        {429, "Too Many Requests"},
	        {431, "Request Header Fields Too Large"},
	        {451, "Unavailable For Legal Reasons"},
	        {499, "Client Closed Request"},
	        {501, "Not Implemented"},
	        {505, "HTTP Version Not Supported"},
	        {507, "Insufficient Storage"},
	        {529, "Overloaded"},
	};
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (reasons[i].status == status) {
			return reasons[i].text;
		}
	}
	return "Unknown";
}
