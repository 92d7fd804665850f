#pragma once
/*
 * upstream - one request to an engine and its answer.
 *
 * Glossary
 *	transport   owns connections to one backend on one loop
 *	upstream    one exchange over a transport: a request sent, an answer received
 *
 * The transport frames and checks the answer: callers get the head as parsed fields and raw bytes,
 * and the body without chunk frames; an ambiguous answer is refused. Bytes that follow an answer on
 * its connection never reach another request. Loop thread only. Callbacks may call any upstream_
 * function of this upstream except upstream_destroy(); on_end may call that, too.
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
	UPSTREAM_DONE,        /* the answer is complete, as its framing said */
	UPSTREAM_REFUSED,     /* no connection: refused, unreachable, name unknown, TLS failed */
	UPSTREAM_TIMEOUT,     /* no connection in time, or silence longer than idle_timeout */
	UPSTREAM_BROKEN,      /* the connection ended within the request or the answer */
	UPSTREAM_BAD_ANSWER,  /* the answer is not HTTP, or ambiguous */
	UPSTREAM_CANCELLED,   /* upstream_cancel() */
	UPSTREAM_BODY_FAILED, /* pull returned an error */
};

struct upstream_end {
	enum upstream_reason reason;
	bool sent;     /* a connection got the request, or a part of it */
	bool has_head; /* on_head was called */
	bool retried;  /* the request was sent again on a new connection */
	/* the cause, without the address and a final full stop; valid during the call */
	const char *text;
	/* time to connect; 0: the connection was kept from an earlier exchange */
	uint64_t connect_us;
};

struct upstream_events {
	/* Called for each 1xx except 100, in order. NULL: not needed. */
	void (*on_interim)(void *arg, const struct http_head *head);
	/* Called once, with the final head. Spans are valid during the call. */
	void (*on_head)(void *arg, const struct http_head *head);
	/* Called with each piece of the body, which is not empty and without chunk frames.
	 * Returning false pauses: this piece was taken, and the next one comes after
	 * upstream_resume(). */
	bool (*on_body)(void *arg, const char *data, size_t len);
	/* Called exactly once, as the last callback, also after upstream_cancel(). Never from
	 * within upstream_start(). While paused, it is called only if no body is left to take. */
	void (*on_end)(void *arg, const struct upstream_end *end);
};

/*
 * Writes bytes of the request's body to buf and returns their number, above 0. 0: the end; -EAGAIN:
 * no bytes yet, the caller will call upstream_body_ready(); another negative errno: the body
 * failed, and the request ends as UPSTREAM_BODY_FAILED. May be called from within upstream_start().
 */
typedef ssize_t (*upstream_pull_fn)(void *arg, char *buf, size_t cap);
/* Pulls from a body that is in memory. *at: how much of it was pulled before. */
static inline ssize_t upstream_pull(struct span body, size_t *at, char *buf, size_t cap)
{
	size_t n = MIN(cap, body.len - *at);
	memcpy(buf, body.data + *at, n);
	*at += n;
	return (ssize_t)n;
}

struct upstream_request {
	struct span method, target; /* target as sent: base path, path and query */
	/* without Host, framing and hop-by-hop fields */
	const struct http_field *fields;
	size_t n_fields;
	bool has_body;
	/* the body, in memory until on_end, if pull is NULL; then body_length and rewind are
	 * ignored */
	struct span body;
	int64_t body_length;   /* what pull gives, exactly; -1: unknown, so it is sent in chunks */
	upstream_pull_fn pull; /* arg: that of upstream_create() */
	/*
	 * Requests a switch to the websocket protocol: a GET without a body. Only if
	 * transport_switches(). pull is called only after on_head with status 101. From then on,
	 * bytes from pull are sent unchanged (0 closes our side), and arriving bytes go to on_body
	 * unchanged, until the connection ends.
	 */
	bool websocket;
	/* the request may be sent twice: the body can be pulled again, after a call of rewind */
	bool replayable;
	void (*rewind)(void *arg);
};

#define UPSTREAM_NONE_KEPT 1
struct upstream_target {
	/* scheme://host[:port][/base]; the caller adds the base to each request's target */
	const char *url;
	const char *ca_file;      /* NULL: the system's certificates */
	uint64_t connect_timeout; /* ns; 0: the transport's default */
	uint64_t idle_timeout;    /* ns of silence in either direction; 0: none */
	/* ns for which a kept connection may have been idle (4 s suits uvicorn); 0: the transport's
	 * default; UPSTREAM_NONE_KEPT: each request has a connection of its own */
	uint64_t max_idle_age;
	/* counts connections closed because bytes followed an answer; or NULL */
	atomic_uint_fast64_t *strays;
	/* counts bytes that wait for the sockets; or NULL */
	struct budget *budget;
	bool by_curl; /* libcurl opens the connections also for plain http */
};

struct transport;

/* Copies the texts of the target. */
struct transport *transport_create(struct uv_loop_s *loop, const struct upstream_target *target);
/* Closes kept connections. Every upstream must have ended. The memory is freed after the last
 * handle is closed. NULL is fine. */
void transport_destroy(struct transport *t);

bool transport_switches(const struct transport *t); /* true: supports upstream_request.websocket */

struct upstream;

/* events must outlive the upstream. */
struct upstream *upstream_create(
        struct transport *t, const struct upstream_events *events, void *arg);
/* Copies what it needs. Returns 0; or -EINVAL, and on_end will not be called: the method, the
 * target or a field has a wrong character such as CR, or a field is one of framing. */
int upstream_start(struct upstream *u, const struct upstream_request *request) MUST_CHECK;
void upstream_body_ready(struct upstream *u);
void upstream_resume(struct upstream *u);
/* Closes the connection; on_end follows, not from within this call. Does nothing before
 * upstream_start() and after on_end. */
void upstream_cancel(struct upstream *u);
/* Call it after on_end (or from within on_end), or before upstream_start(). NULL is fine. */
void upstream_destroy(struct upstream *u);
