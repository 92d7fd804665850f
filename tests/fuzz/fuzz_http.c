/*
 * Feeds bytes to the parser in one piece and in several: the events must be equal. The first byte
 * chooses requests, responses or answers to HEAD; the second seeds the sizes of the pieces.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct story {
	struct buf text;
	bool head_request;
	bool in_body;
};

static void tell_span(struct story *s, struct span value)
{
	buf_printf(&s->text, "<%zu>", value.len);
	buf_append_span(&s->text, value);
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct story *s = arg;
	s->in_body = false;
	expect(head->raw.len >= 4 &&
	        memcmp(head->raw.data + head->raw.len - 4, "\r\n\r\n", 4) == 0);
	expect(head->n_fields <= HTTP_FIELDS_LIMIT && head->raw.len <= HTTP_HEAD_LIMIT);
	tell_span(s, head->raw);
	tell_span(s, head->method);
	tell_span(s, head->target);
	tell_span(s, head->reason);
	buf_printf(&s->text, "%d %d %d %d %llu %d %d %d", head->status, head->minor, head->framing,
	        head->has_length, (unsigned long long)head->length, head->keep_alive,
	        head->expects_continue, head->upgrade);
	for (size_t i = 0; i < head->n_fields; i++) {
		tell_span(s, head->fields[i].name);
		tell_span(s, head->fields[i].value);
		buf_append_char(
		        &s->text, http_is_hop_by_hop(head, head->fields[i].name) ? 'h' : 'e');
	}
	*ret_no_body = s->head_request;
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct story *s = arg;
	expect(len > 0);
	if (!s->in_body) {
		buf_append_str(&s->text, "\nbody ");
		s->in_body = true;
	}
	buf_append(&s->text, data, len);
}

static void on_complete(void *arg)
{
	struct story *s = arg;
	s->in_body = false;
	buf_append_str(&s->text, "\ncomplete\n");
}

static const struct http_parser_events events = {on_head, on_body, on_complete};

static void tell(
        struct story *s, enum http_parser_kind kind, const char *data, size_t size, uint32_t seed)
{
	struct http_parser *p = http_parser_create(kind, &events, s);
	size_t at = 0;
	ssize_t used = 0;
	while (at < size) {
		size_t n = size - at;
		if (seed) {
			seed = seed * 1664525u + 1013904223u;
			n = MIN(n, (size_t)(seed >> 24) % 40 + 1);
		}
		used = http_parser_feed(p, data + at, n);
		if (used < 0) {
			break;
		}
		expect((size_t)used <= n);
		at += (size_t)used;
		if ((size_t)used < n) {
			http_parser_next(p);
		}
	}
	if (used < 0) {
		const struct http_problem *problem = http_parser_problem(p);
		expect(used == -EPROTO && problem->status >= 400 && problem->text);
		buf_printf(&s->text, "\nrefused %d %s", problem->status, problem->text);
	} else {
		buf_printf(&s->text, "\neof %d", http_parser_eof(p));
	}
	http_parser_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2) {
		return 0;
	}
	enum http_parser_kind kind = data[0] % 3 ? HTTP_RESPONSE : HTTP_REQUEST;
	struct story whole = {.head_request = data[0] % 3 == 2};
	struct story pieces = {.head_request = whole.head_request};
	const char *bytes = (const char *)data + 2;
	tell(&whole, kind, bytes, size - 2, 0);
	tell(&pieces, kind, bytes, size - 2, data[1] + 1u);
	expect(span_equal(buf_span(&whole.text), buf_span(&pieces.text)));
	buf_finish(&whole.text);
	buf_finish(&pieces.text);
	return 0;
}
