#pragma once
/*
 * http_story - writes the HTTP parser's events for a stream of bytes as one text, so that tests can
 * compare them.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/http.h"

struct story {
	struct buf text;
	bool in_body;
	bool head_request;
	size_t completes;
	size_t bodies;
	struct http_head last;
	int status;
};

static void tell_span(struct story *s, const char *what, struct span value)
{
	buf_printf(&s->text, "%s=%.*s\n", what, (int)value.len, value.data);
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct story *s = arg;
	s->in_body = false;
	s->last = *head;
	tell_span(s, "raw", head->raw);
	tell_span(s, "method", head->method);
	tell_span(s, "target", head->target);
	tell_span(s, "reason", head->reason);
	buf_printf(&s->text,
	        "status=%d minor=%d framing=%d length=%lld keep=%d expects=%d upgrade=%d\n",
	        head->status, head->minor, head->framing,
	        head->has_length ? (long long)head->length : -1LL, head->keep_alive,
	        head->expects_continue, head->upgrade);
	for (size_t i = 0; i < head->n_fields; i++) {
		tell_span(s, "name", head->fields[i].name);
		tell_span(s, "value", head->fields[i].value);
	}
	*ret_no_body = s->head_request;
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct story *s = arg;
	cr_assert(len > 0);
	if (!s->in_body) {
		buf_append_str(&s->text, "body=");
		s->in_body = true;
	}
	buf_append(&s->text, data, len);
	s->bodies += len;
}

static void on_complete(void *arg)
{
	struct story *s = arg;
	s->in_body = false;
	s->completes++;
	buf_append_str(&s->text, "\ncomplete\n");
}

static const struct http_parser_events events = {on_head, on_body, on_complete};

/* Feeds a stream in pieces of at most step bytes, then EOF. Returns the HTTP status with which the
 * parser refused it; 0: it did not. */
static int parse_in_pieces(
        struct story *s, enum http_parser_kind kind, struct span bytes, size_t step)
{
	struct http_parser *p = http_parser_create(kind, &events, s);
	size_t at = 0;
	s->status = 0;
	while (at < bytes.len) {
		size_t n = MIN(step, bytes.len - at);
		ssize_t used = http_parser_feed(p, bytes.data + at, n);
		if (used < 0) {
			cr_assert_eq(used, -EPROTO);
			s->status = http_parser_problem(p)->status;
			cr_assert_not_null(http_parser_problem(p)->text);
			buf_printf(&s->text, "\nrefused %d %s\n", s->status,
			        http_parser_problem(p)->text);
			break;
		}
		at += (size_t)used;
		if ((size_t)used < n) {
			http_parser_next(p);
		}
	}
	if (!s->status) {
		buf_printf(&s->text, "\neof=%d\n", http_parser_eof(p));
	}
	http_parser_destroy(p);
	return s->status;
}

static inline int verdict(enum http_parser_kind kind, struct span bytes)
{
	struct story s = {0};
	int status = parse_in_pieces(&s, kind, bytes, SIZE_MAX);
	buf_finish(&s.text);
	return status;
}
