#pragma once
/*
 * wire - the transport for plain http: sockets on the loop, and the parser of base/http.h.
 * Internal.
 *
 *	wire.c             the transport: kept connections, the sweep, the list of turns
 *	wire_connection.c  one socket: connecting, reading, writing
 *	wire_dial.c        opens a new connection: looks up the name, tries its addresses, takes
 *	                   the first that answers
 *	wire_exchange.c    one upstream: sends its request, receives its answer, says why it ended
 *
 * No function calls the caller's callbacks from within: the event is noted, and the callback is
 * called in the loop's next iteration (a "turn"). Events from a socket call callbacks at once. A
 * connection belongs to one exchange, or is in the transport's list of kept connections. Kept ones
 * are still read: whatever arrives, even the end, closes the connection.
 */
#include "base/check.h" /* before libuv, which defines its own MIN and MAX */

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "backends/transport/names.h"
#include "backends/transport/transport.h"
#include "base/budget.h"
#include "base/list.h"

#define WIRE_MAGIC 0x77697265u
#define WIRE_CONNECTION_MAGIC 0x77636f6eu
#define WIRE_EXCHANGE_MAGIC 0x77657863u

/* bytes of an answer read at once; also the most that we hold after a pause */
#define WIRE_READ_SIZE 16384
#define WIRE_WINDOW 65535 /* bytes of a request's body written at once */

struct wire {
	struct transport base;
	uint32_t magic;
	bool closing;
	uv_loop_t *loop;
	uv_timer_t sweep; /* looks for silent exchanges and old connections */
	uv_timer_t hurry; /* tries a backend's next address beside one that does not answer */
	uv_idle_t turn;   /* runs while someone waits for a turn */
	/* number of handles, connections and names whose memory is still in use */
	unsigned open;
	struct list active;  /* exchanges, by their `active` */
	struct list turns;   /* those that wait for a turn */
	struct list unnamed; /* those that wait for the backend's addresses */
	struct list kept;    /* idle connections; the most recently used is last */
	size_t n_kept;
	struct names *names;
	char *host; /* as the Host field has it: with the port, unless that is 80 */
	char *name; /* host:port, for sentences */
	uint64_t connect_timeout, idle_timeout, max_idle_age, sweep_ms;
	atomic_uint_fast64_t *strays; /* the target's, or NULL */
	struct budget *budget;        /* the target's, or NULL */
	struct buf out;               /* scratch of the exchange that writes */
	char in[WIRE_READ_SIZE];
};

struct wire_connection {
	uint32_t magic;
	bool closing, reading, writing;
	bool carried; /* it served an earlier exchange */
	struct wire *wire;
	struct wire_exchange *user; /* NULL: kept */
	struct list link;           /* in wire->kept, or in its user's dials */
	uv_tcp_t tcp;
	union {
		uv_connect_t connect;
		uv_write_t write;
	} request;
	uv_shutdown_t shutdown;
	struct http_parser *parser; /* once connected */
	/* bytes that the socket did not accept yet; counted in the budget */
	struct buf rest;
	uint64_t idle_since; /* ns, clock_mono(), when kept */
};

enum wire_state {
	WIRE_NEW,
	WIRE_DIALING, /* no connection yet */
	WIRE_TALKING,
	/* how it ended is known; waits for a turn, or for the caller to take the held body */
	WIRE_OVER,
	WIRE_ENDED,
};

struct wire_exchange {
	struct upstream base;
	uint32_t magic;
	enum wire_state state;
	struct wire *wire;
	const struct upstream_events *events;
	void *arg;
	struct wire_connection *connection; /* while talking */
	struct list active, turn, unnamed;

	/* While dialing. */
	struct list dials;      /* connections that are being opened */
	struct addresses *ways; /* a copy that the exchange owns */
	size_t next_way;
	int dial_error;
	uint64_t dial_begun, dial_last; /* ns, clock_mono() */

	/* The request. */
	struct upstream_request
	        /* only pull, rewind and the numbers are valid; spans and fields are not kept */
	        request;
	struct buf head; /* the request's head; kept until the answer begins */
	uint64_t pulled;
	int body_error, write_error; /* the error from pull, and from the socket */
	unsigned sends;              /* how often the request was sent */
	bool is_head;
	bool may_repeat; /* the request may be sent twice */
	bool head_sent;
	bool body_read;    /* pull returned data, or the end of the body */
	bool sent;         /* the connection has taken the whole request */
	bool write_failed; /* the rest cannot be sent; an answer may still arrive */
	bool pumping;

	/* The answer. */
	uint64_t last_activity; /* ns, clock_mono() */
	uint64_t connect_us;
	struct buf held; /* body that arrived while `paused` is set; counted in the budget */
	bool heard;      /* a byte arrived after the request was sent */
	bool head_seen;
	bool keeps; /* the answer allows to keep the connection */
	bool complete;
	bool paused;
	bool finished; /* after a switch: we closed our sending side */
	bool switched; /* after a 101 answer: both directions are no longer HTTP */

	/* What waits for a turn. */
	bool cancelled, resume_asked, timed_out;

	enum upstream_reason reason; /* once over */
	const char *cause;           /* static */
	const char *detail;          /* static, or NULL */
	struct buf text;
};

/* wire.c */
void wire_ask_turn(struct wire_exchange *x);
void wire_sweep_on(struct wire *w);
void wire_keep(struct wire_connection *c);
struct wire_connection *wire_take_kept(struct wire *w); /* clean, or NULL */
/* counts an answer followed by unexpected bytes */
void wire_count_stray(const struct wire *w);
void wire_count(const struct wire *w, size_t bytes); /* in the budget, if there is one */
void wire_uncount(const struct wire *w, size_t bytes);
void wire_release(struct wire *w); /* one of those that `open` counts is freed */

/* wire_connection.c */
struct wire_connection *wire_connection_create(struct wire *w, struct wire_exchange *user);
/* wire_dialed() follows, unless it is closed before. */
int wire_connection_connect(struct wire_connection *c, const union address_any *to) MUST_CHECK;
int wire_connection_read(struct wire_connection *c) MUST_CHECK;
void wire_connection_hold(struct wire_connection *c); /* reads no more for now */
/* Returns 0: the bytes were sent or are kept in `rest`; while `writing`, a call of wire_pump()
 * follows. later: do not write now, so that other connections are served first. */
int wire_connection_write(
        struct wire_connection *c, const struct span *parts, size_t n, bool later) MUST_CHECK;
/* Closes the sending side, after everything written so far was sent. */
void wire_connection_finish(struct wire_connection *c);
bool wire_connection_is_clean(const struct wire_connection *c);
void wire_connection_close(struct wire_connection *c);

/* wire_dial.c */
void wire_dial(struct wire_exchange *x);
void wire_dialed(struct wire_connection *c, int status);
void wire_dial_hurry(struct wire_exchange *x, uint64_t now);
void wire_dial_stop(struct wire_exchange *x);

/* wire_exchange.c */
void wire_send(struct wire_exchange *x); /* on its connection */
void wire_pump(struct wire_exchange *x);
void wire_write_failed(struct wire_exchange *x, int status);
void wire_heard(struct wire_exchange *x, const char *data, size_t len);
void wire_dead(struct wire_exchange *x, int status); /* a libuv error, or UV_EOF */
/* Calls no callback; the exchange gets a turn, which does. detail: static, or NULL. */
void wire_give_up(struct wire_exchange *x, enum upstream_reason reason, const char *cause,
        const char *detail);
void wire_turn(struct wire_exchange *x);
void wire_check_silence(struct wire_exchange *x, uint64_t now);
struct upstream *wire_exchange_create(
        struct transport *t, const struct upstream_events *events, void *arg);
void wire_exchange_start(struct upstream *u, const struct upstream_request *request);
void wire_exchange_body_ready(struct upstream *u);
void wire_exchange_resume(struct upstream *u);
void wire_exchange_cancel(struct upstream *u);
void wire_exchange_destroy(struct upstream *u);
extern const struct http_parser_events WIRE_ANSWER; /* arg: the connection */
