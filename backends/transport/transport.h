#pragma once
/*
 * transport - the kinds of transports behind upstream.h; upstream.c chooses one.
 *
 *	TRANSPORT_WIRE   plain http, on libuv and the parser of base/http.h; uses little memory
 *	                 and processor time
 *	TRANSPORT_CURL   https, and everything else that the first kind does not support
 *
 * Each function has the contract of the function with the same name in upstream.h. upstream.c has
 * checked the requests.
 */
#include "backends/transport/upstream.h"

struct transport_kind {
	/* NULL: this kind does not support the URL. */
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

/* Each kind's own struct begins with one of these two. upstream.c sets their kind. */
struct transport {
	const struct transport_kind *kind;
};

struct upstream {
	const struct transport_kind *kind;
};

/*
 * True if the connection may carry another exchange after the answer with this head. is_head: the
 * request was HEAD. False for
 *
 *	an answer in HTTP/1.0, because servers mean different things by keeping a connection;
 *	an answer that has no body by rule but states one, by a length above 0 or by chunks: if
 *	that body comes late, it looks like the answer to the next request;
 *	an answer to HEAD without a length.
 */
bool transport_may_keep(const struct http_head *head, bool is_head);

/* True for GET, HEAD, OPTIONS or TRACE without a body: plumbline may send it a second time
 * without asking the caller. */
bool transport_is_safe(const struct upstream_request *request);
