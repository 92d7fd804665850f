#pragma once
/*
 * upstream - one request to an engine and its answer, whatever carries it.
 *
 * Glossary
 *	transport   owns connections to one backend on one loop; backends/transport/transport.h has
 *	            the kinds of them
 *	upstream    one exchange on it: a request sent, an answer received
 *
 * The answer is framed and checked below this interface: head as parsed fields and raw bytes, body
 * de-chunked, an ambiguous answer refused. Bytes that follow an answer on its connection never
 * reach another request. Loop thread only. Callbacks may call any upstream_ function of this
 * upstream but upstream_destroy().
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/http.h"

struct budget;
struct uv_loop_s;

enum upstream_reason {
	UPSTREAM_DONE,        /* the whole answer, as its framing said */
	UPSTREAM_REFUSED,     /* no connection: refused, unreachable, name unknown, TLS failed */
	UPSTREAM_TIMEOUT,     /* connecting, or silence longer than allowed */
	UPSTREAM_BROKEN,      /* the connection ended within request or answer */
	UPSTREAM_BAD_ANSWER,  /* not HTTP, or ambiguous */
	UPSTREAM_CANCELLED,   /* upstream_cancel() */
	UPSTREAM_BODY_FAILED, /* the request's body source gave an error */
};

struct upstream_end {
	enum upstream_reason reason;
	bool head_seen; /* on_head was called (with a final head) */
	bool retried;   /* sent again on a fresh connection */
	/* the cause for log and record, without the address and a final period; valid during the
	 * call */
	const char *text;
	uint64_t connect_us; /* 0 on a connection that was kept */
};

struct upstream_events {
	/* Each 1xx but 100, in order. NULL: nobody wants to hear of them. */
	void (*on_interim)(void *arg, const struct http_head *head);
	/* The final head, once. Spans are valid during the call. */
	void (*on_head)(void *arg, const struct http_head *head);
	/* A piece of the body, de-chunked, never empty. False: take no more until upstream_resume()
	 * (this piece has been taken). */
	bool (*on_body)(void *arg, const char *data, size_t len);
	/* Exactly once, last; also after upstream_cancel(). Not called from within
	 * upstream_start(). While paused it comes only if no body is left to take. */
	void (*on_end)(void *arg, const struct upstream_end *end);
};

/*
 * Pulls request body, at times from within upstream_start(): > 0 bytes written to buf; 0 the end;
 * -EAGAIN none yet (upstream_body_ready() goes on); other negative errno: the body failed, the
 * request is given up.
 */
typedef ssize_t (*upstream_pull_fn)(void *arg, char *buf, size_t cap);

struct upstream_request {
	struct span method, target; /* target as it stands on the wire: base path, path and query */
	const struct http_field *fields; /* without Host, framing and hop-by-hop fields; copied */
	size_t n_fields;
	bool has_body;
	int64_t body_length; /* -1: unknown, sent chunked */
	upstream_pull_fn pull;
	/*
	 * Asks to switch to the websocket protocol: a GET without a body, over a transport that
	 * switches. If on_head then has status 101, what pull gives is sent as it stands (0 ends
	 * our side), and what comes is handed over as it comes, until the end of the connection,
	 * which is the end. pull is not called before.
	 */
	bool websocket;
	bool replayable; /* pull can start again: rewind is called before */
	void (*rewind)(void *arg);
};

#define UPSTREAM_NONE_KEPT 1
struct upstream_target {
	const char *url;          /* scheme://host[:port][/base]; base is the caller's business */
	const char *ca_file;      /* NULL: the system's */
	uint64_t connect_timeout; /* ns */
	uint64_t idle_timeout;    /* ns of silence in either direction; 0: none */
	uint64_t max_idle_age;    /* ns a kept connection may have been idle; 4 s suits uvicorn;
	                             UPSTREAM_NONE_KEPT: each request has one of its own */
	/* Counts connections on which more came than an answer, each closed for it; or NULL. Plain
	 * http. */
	atomic_uint_fast64_t *strays;
	struct budget *budget; /* counts what waits for the sockets, of plain http; or NULL */
	bool by_curl;          /* libcurl, also where plain http would do without it */
};

struct transport;

struct transport *transport_create(struct uv_loop_s *loop, const struct upstream_target *target);
/* Closes kept connections; every upstream has ended before. Memory goes with its last handle. NULL
 * is fine. */
void transport_destroy(struct transport *t);

bool transport_switches(const struct transport *t); /* can do websocket */

struct upstream;

struct upstream *upstream_create(
        struct transport *t, const struct upstream_events *events, void *arg);
/* 0, or -EINVAL for a request that must not be sent (a field with CR, LF or NUL); on_end is then
 * not called. */
int upstream_start(struct upstream *u, const struct upstream_request *request) MUST_CHECK;
void upstream_body_ready(struct upstream *u);
void upstream_resume(struct upstream *u);
void upstream_cancel(
        struct upstream *u); /* the connection is closed; on_end follows, not from within */
void upstream_destroy(struct upstream
                *u); /* after on_end (from within it is fine) or before start; NULL is fine */
