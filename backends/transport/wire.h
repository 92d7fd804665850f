#pragma once
/*
 * wire - the transport: sockets on the loop, and base/http.h's parser. For the files below only.
 *
 *	transport.c        the transport: its life, turns and sweep
 *	upstream.c         one upstream: sends its request, receives its answer, says why it ended
 *	wire_request.c     the bytes of a request
 *	wire_dial.c        opens a new connection: looks up the name, tries its addresses, takes
 *	                   the first that answers
 *	wire_pool.c        kept connections
 *	wire_connection.c  one socket: connecting, reading, writing
 *	wire_curl.c        the same by libcurl, for TLS
 *	wire_shared.c      what all of these need of the transport
 *
 * Each file calls only those below it; a connection and a dial report to their user by events.
 *
 * A function that the caller calls never calls the caller's callbacks. It sets a flag, and the
 * callback is called in the loop's next iteration (a "turn"). Events of a socket call callbacks at
 * once. A connection belongs to one exchange, or is in the transport's list of kept connections.
 * Kept connections are read, too: any bytes, or the end, close the connection.
 */
#include "base/check.h" /* before libuv, which defines MIN and MAX, too */

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>
#include <uv.h>

#include "backends/transport/resolver.h"
#include "backends/transport/upstream.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/http.h"
#include "base/list.h"

#define WIRE_MAGIC 0x77697265u
#define WIRE_CONNECTION_MAGIC 0x77636f6eu
#define WIRE_EXCHANGE_MAGIC 0x77657863u

/* bytes of an answer that are read at once; also the most that are held after a pause */
#define WIRE_READ_SIZE 16384
#define WIRE_WINDOW 65535 /* bytes of a request's body that are written at once */

struct transport {
	uint32_t magic;
	bool closing;
	uv_loop_t *loop;
	uv_timer_t sweep;         /* looks for silent exchanges and old connections */
	uv_timer_t attempt_timer; /* tries the backend's next address while one does not answer */
	uv_idle_t turn;           /* runs while an exchange waits for a turn */
	uv_timer_cb on_sweep;
	uv_idle_cb on_turn;
	/* number of handles, connections and resolvers whose memory is still in use */
	unsigned open;
	struct list active; /* started exchanges; link: `active` */
	struct list turns;  /* exchanges that wait for a turn; link: `turn` */
	struct list
	        resolving; /* exchanges that wait for the backend's addresses; link: `resolving` */
	struct list kept;  /* idle connections; the most recently used is last */
	size_t n_kept;
	struct resolver *resolver;
	char *host; /* value of the Host field: with the port, unless that is 80 */
	char *name; /* host:port, for messages */
	uint64_t connect_timeout, idle_timeout, max_idle_age; /* ns, as in struct upstream_target */
	uint64_t sweep_ms;                                    /* period of `sweep` */
	atomic_uint_fast64_t *strays;                         /* the target's, or NULL */
	struct budget *budget;                                /* the target's, or NULL */
	CURLM *multi;     /* opens connections; NULL: libcurl is not used */
	uv_timer_t timer; /* libcurl's own timeouts */
	char *url;        /* scheme, host and port, for libcurl */
	char *ca_file;    /* the target's, or NULL */
	struct buf out;   /* working memory of the exchange that writes */
	char in[WIRE_READ_SIZE];
};

struct wire_connection;
struct upstream;

/* What a connection tells its user. status: 0 or a libuv error. */
struct wire_connection_events {
	/* problem: why it could not be opened, valid during the call; NULL: it is open. */
	void (*on_connect)(struct wire_connection *c, const char *problem);
	void (*on_data)(struct wire_connection *c, const char *data, size_t len);
	/* The other side has ended the connection: UV_EOF, or it broke: another error. */
	void (*on_end)(struct wire_connection *c, int status);
	/* All bytes that waited in `rest` were sent, or cannot be. */
	void (*on_written)(struct wire_connection *c, int status);
};

struct wire_connection {
	uint32_t magic;
	bool closing, reading, writing;
	bool carried; /* it served an earlier exchange */
	struct transport *wire;
	const struct wire_connection_events *events;
	struct upstream *user; /* the exchange that it belongs to; NULL: it is kept */
	struct list link;      /* in wire->kept, or in user->dials */
	union {
		uv_handle_t handle;
		uv_tcp_t tcp;
		uv_poll_t poll; /* of a socket that libcurl opened */
	} socket;
	union {
		uv_connect_t connect;
		uv_write_t write;
	} request;
	uv_shutdown_t shutdown;
	struct http_parser *parser; /* of its answers; NULL before it is connected */
	/* bytes that the socket did not accept so far; counted in the budget */
	struct buf rest;
	/* With libcurl: */
	CURL *easy; /* NULL: libcurl is not used */
	struct curl_slist *connect_to;
	int fd;           /* its socket */
	bool has_socket;  /* `socket` is open */
	bool connected;   /* the connection is open, and libcurl polls it no more */
	size_t rest_sent; /* bytes of `rest` that were sent */
	char error[CURL_ERROR_SIZE];
	uint64_t idle_since; /* a kept connection: since when, clock_mono() ns */
};

enum wire_state {
	WIRE_NEW,
	WIRE_DIALING, /* it has no connection yet */
	WIRE_TALKING,
	/* its end is known; it waits for a turn, or until the caller has taken the held body */
	WIRE_OVER,
	WIRE_ENDED,
};

struct upstream {
	uint32_t magic;
	enum wire_state state;
	struct transport *wire;
	const struct upstream_events *events;
	void *arg;
	struct wire_connection *connection; /* in state WIRE_TALKING */
	struct list active, turn, resolving;

	/* In state WIRE_DIALING: */
	void (*on_dialed)(struct upstream *x, struct wire_connection *c, const char *cause,
	        const char *detail); /* as in wire_dial() */
	struct list dials;           /* connections that are being opened */
	struct addresses *addresses; /* the addresses; a copy that the exchange owns */
	size_t next_address;
	char dial_problem[CURL_ERROR_SIZE]; /* why the last attempt failed */
	uint64_t dial_begun, dial_last;     /* ns, clock_mono() */

	/* The request: */
	/* method, target and fields are not kept */
	struct upstream_request request;
	struct buf head;             /* the request's head; kept until the answer begins */
	uint64_t pulled;             /* bytes of the body that pull gave for this sending */
	int body_error, write_error; /* negative errno from pull and from the socket; 0: none */
	unsigned sends;              /* how often the request was sent */
	bool is_head;                /* its method is HEAD */
	bool may_repeat;             /* the request may be sent twice */
	bool head_sent;
	bool body_read;    /* pull has returned data, or the end of the body */
	bool sent;         /* the connection has taken the whole request */
	bool write_failed; /* the rest cannot be sent; an answer may still arrive */
	bool pumping;      /* pump() runs, and must not be entered again */

	/* The answer: */
	uint64_t last_activity; /* ns, clock_mono() */
	uint64_t connect_us;    /* as in struct upstream_end */
	/* bytes of the body that arrived while `paused` is set; counted in the budget */
	struct buf held;
	bool answer_begun; /* a byte arrived after the request was sent */
	bool has_head;     /* on_head was called */
	bool keeps;        /* the answer allows the connection to be kept */
	bool complete;     /* the answer's last byte was read */
	bool paused;       /* on_body returned false */
	bool finished;     /* after a switch: our sending side is closed */
	bool switched;     /* after a 101 answer: neither direction is HTTP any more */

	/* What the next turn must do: */
	bool cancelled, resume_requested, timed_out;

	enum upstream_reason reason; /* from state WIRE_OVER on */
	const char *cause;           /* static, or dial_problem */
	const char *detail;          /* static, or NULL */
	struct buf text;             /* memory of upstream_end.text */
};

/* wire_shared.c */
/* Gives the exchange a turn: w->on_turn is called in the loop's next iteration. */
void wire_ask_turn(struct upstream *x);
void wire_sweep_on(struct transport *w); /* starts the timer `sweep` unless it runs */
/* Counts an answer that unexpected bytes followed. */
void wire_count_stray(const struct transport *w);
/* Take bytes from the target's budget, beyond its limit if need be, and give them back. */
void wire_count(const struct transport *w, size_t bytes);
void wire_uncount(const struct transport *w, size_t bytes);
void wire_release(struct transport *w); /* call it when an object that `open` counts was freed */

/* wire_connection.c */
struct wire_connection *wire_connection_create(
        struct transport *w, struct upstream *user, const struct wire_connection_events *events);
/* Returns 0, and on_connect follows unless the connection is closed before; or a libuv error. */
int wire_connection_connect(struct wire_connection *c, const union address_any *to) MUST_CHECK;
/* Begins to read. Returns 0 or a libuv error. */
int wire_connection_read(struct wire_connection *c) MUST_CHECK;
/* stops reading until wire_connection_read() */
void wire_connection_hold(struct wire_connection *c);
/* Writes n parts, at most two; `writing` must not be set. Returns a negative errno; or 0: the bytes
 * were sent, or they wait in `rest`. In the second case `writing` is set, and on_written follows.
 * later: do not write now, so that other connections are served first. */
int wire_connection_write(
        struct wire_connection *c, const struct span *parts, size_t n, bool later) MUST_CHECK;
/* Closes the sending side after all bytes written so far were sent. */
void wire_connection_finish(struct wire_connection *c);
/* True if the connection is open and no byte waits on it. Counts a waiting byte as a stray. */
bool wire_connection_is_clean(const struct wire_connection *c);
/* No event follows. Do not use c any more. */
void wire_connection_close(struct wire_connection *c);
void wire_connection_free(struct wire_connection *c); /* call it when its socket is closed */
/* Discards `rest`. */
void wire_connection_drop_rest(struct wire_connection *c);

/* wire_curl.c */
/* From now on, libcurl opens the transport's connections. ca_file: that of the target. */
void wire_curl_init(struct transport *w, const char *scheme, const char *ca_file);
void wire_curl_finish(struct transport *w); /* call it after all connections are closed */
/* These do what the functions of wire_connection.c do. */
int wire_curl_connect(struct wire_connection *c, const union address_any *to) MUST_CHECK;
void wire_curl_watch(struct wire_connection *c); /* begins and ends to read, as `reading` says */
int wire_curl_write(struct wire_connection *c, bool later) MUST_CHECK; /* writes `rest` */
bool wire_curl_is_clean(const struct wire_connection *c);
void wire_curl_close(struct wire_connection *c);

/* wire_pool.c */
/* Keeps a connection whose exchange has ended, or closes it if that fails. */
void wire_pool_keep(struct wire_connection *c);
/* a kept connection that is clean, or NULL */
struct wire_connection *wire_pool_take(struct transport *w);
/* Closes the connections that were idle for longer than max_idle_age. now: clock_mono(). */
void wire_pool_drop_old(struct transport *w, uint64_t now);
void wire_pool_drop_all(struct transport *w);
/*
 * True if the connection may carry another exchange after the answer with this head. is_head: the
 * request was HEAD. False for
 *
 *	an answer in HTTP/1.0, because servers mean different things by keeping a connection;
 *	an answer that has no body by rule but states one, by a length above 0 or by chunks: if
 *	that body comes late, it looks like the answer to the next request;
 *	an answer to HEAD without a length.
 */
bool wire_pool_may_keep(const struct http_head *head, bool is_head);

/* wire_dial.c */
/*
 * Opens a connection: gets the addresses and tries them. on_dialed is called later with the
 * connection; or with NULL, and then cause and detail (static; detail may be NULL) say why there is
 * none. If the dial fails at once, on_dialed is called within wire_dial().
 */
void wire_dial(struct upstream *x, void (*on_dialed)(struct upstream *x, struct wire_connection *c,
                                           const char *cause, const char *detail));
/* Call when the lookup has ended: continues the exchanges that wait for the addresses. */
void wire_dial_found(struct transport *w);
/* Closes all connections that are being opened. */
void wire_dial_stop(struct upstream *x);

/* wire_request.c */
bool wire_request_may_be_sent(const struct upstream_request *request); /* see upstream_start() */
/* True for GET, HEAD, OPTIONS or TRACE without a body: plumbline may send it a second time
 * without asking the caller. */
bool wire_request_is_safe(const struct upstream_request *request);
/* Writes the request's head to x->head, which must be empty. */
void wire_request_head(struct upstream *x, const struct upstream_request *request);
/* Appends what can be sent now, up to WIRE_WINDOW: of the request's body; after a switch, of the
 * caller's bytes. Sets x->sent at their end, x->body_error if pull failed. */
void wire_request_body(struct upstream *x, struct buf *out);

/* upstream.c */
/* Does what waits for a turn, and calls the caller's callbacks. */
void wire_exchange_turn(struct upstream *x);
/* Ends the exchange if it was silent for too long. now: clock_mono(). */
void wire_exchange_check_silence(struct upstream *x, uint64_t now);
