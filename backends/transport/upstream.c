#include "backends/transport/upstream.h"

#include <errno.h>
#include <string.h>

#include "backends/transport/transport.h"

static bool has_byte_below_space(struct span s, bool tab_allowed)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];
		if (c == 0x7f || (c < 0x20 && !(tab_allowed && c == '\t'))) {
			return true;
		}
	}
	return false;
}

static bool is_word(struct span s)
{
	return s.len && !has_byte_below_space(s, false) && !memchr(s.data, ' ', s.len);
}

/* has_body and body_length alone decide how the request is framed. */
static bool is_framing(struct span name)
{
	return span_is_nocase(name, "content-length") || span_is_nocase(name, "transfer-encoding");
}

/* A line end in a value would begin another field: transports write values unchanged. */
static bool may_be_sent(const struct upstream_request *request)
{
	if (!is_word(request->method) || !is_word(request->target)) {
		return false;
	}
	for (size_t i = 0; i < request->n_fields; i++) {
		const struct http_field *field = &request->fields[i];
		if (!is_word(field->name) || memchr(field->name.data, ':', field->name.len) ||
		        is_framing(field->name) || has_byte_below_space(field->value, true)) {
			return false;
		}
	}
	return true;
}

struct transport *transport_create(struct uv_loop_s *loop, const struct upstream_target *target)
{
	const struct transport_kind *kind = &TRANSPORT_WIRE;
	struct transport *t = target->by_curl ? NULL : kind->create(loop, target);
	if (!t) {
		kind = &TRANSPORT_CURL;
		t = kind->create(loop, target);
	}
	t->kind = kind;
	return t;
}

void transport_destroy(struct transport *t)
{
	if (t) {
		t->kind->destroy(t);
	}
}

bool transport_switches(const struct transport *t)
{
	return t->kind == &TRANSPORT_WIRE;
}

struct upstream *upstream_create(
        struct transport *t, const struct upstream_events *events, void *arg)
{
	struct upstream *u = t->kind->upstream_create(t, events, arg);
	u->kind = t->kind;
	return u;
}

int upstream_start(struct upstream *u, const struct upstream_request *request)
{
	expect(!request->websocket || (u->kind == &TRANSPORT_WIRE && !request->has_body));
	if (!may_be_sent(request)) {
		return -EINVAL;
	}
	u->kind->start(u, request);
	return 0;
}

void upstream_body_ready(struct upstream *u)
{
	u->kind->body_ready(u);
}

void upstream_resume(struct upstream *u)
{
	u->kind->resume(u);
}

void upstream_cancel(struct upstream *u)
{
	u->kind->cancel(u);
}

void upstream_destroy(struct upstream *u)
{
	if (u) {
		u->kind->upstream_destroy(u);
	}
}
