#pragma once
/*
 * transport - what stands behind upstream.h: the kinds of transports. upstream.c chooses one.
 *
 *	TRANSPORT_WIRE   plain http, on libuv and the parser of base/http.h: little memory, few
 *	                 cycles
 *	TRANSPORT_CURL   https, and what else the first does not speak
 *
 * Each function does what the one of the same name in upstream.h promises; requests have been
 * checked.
 */
#include "backends/transport/upstream.h"

struct transport_kind {
	/* NULL: this kind can't speak to that URL. */
	struct transport *(*create)(struct uv_loop_s *loop, const struct upstream_target *target);
	void (*destroy)(struct transport *t);
	struct upstream *(*upstream_create)(
	        struct transport *t, const struct upstream_events *events, void *arg);
	void (*start)(struct upstream *u, const struct upstream_request *request);
	void (*body_ready)(struct upstream *u);
	void (*resume)(struct upstream *u);
	void (*cancel)(struct upstream *u);
	void (*upstream_destroy)(struct upstream *u);
};

extern const struct transport_kind TRANSPORT_WIRE, TRANSPORT_CURL;

/* The first member of each kind's own. */
struct transport {
	const struct transport_kind *kind;
};

struct upstream {
	const struct transport_kind *kind;
};

/*
 * Whether the connection may carry another exchange after the answer with this head. Not one that
 * speaks HTTP/1.0: it may mean anything by keeping it. Nor one whose answer has no body by rule and
 * announces one all the same: if that comes late, nothing tells it from the answer to the next
 * request.
 */
bool transport_may_keep(const struct http_head *head, bool is_head);

/* GET, HEAD, OPTIONS or TRACE without a body: may go out twice without being asked. */
bool transport_is_safe(const struct upstream_request *request);
