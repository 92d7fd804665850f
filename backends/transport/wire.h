#pragma once
/*
 * wire - the transport for plain http: sockets on the loop, and the parser of base/http.h. Internal.
 *
 *	wire.c             the transport: kept connections, the sweep, whose turn it is
 *	wire_connection.c  one socket: connecting, reading, writing
 *	wire_dial.c        the way to a fresh connection: the name, its addresses, the first that answers
 *	wire_exchange.c    one upstream: its request goes out, its answer comes in, why it ended
 *
 * Callers are told of nothing from within what they call: it is noted, and done on the loop's next turn. What comes from a
 * socket is told at once. A connection belongs to one exchange, or lies in the transport's list of kept
 * ones, where it is read on: whatever comes then, even its end, closes it.
 */
#include "base/check.h" /* before libuv, which drags in a MIN and MAX of its own */

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

#define WIRE_READ_SIZE 16384 /* of an answer at once, and so what a pause can leave with us */
#define WIRE_WINDOW 65535    /* of a request's body at once */

struct wire {
	struct transport base;
	uint32_t magic;
	bool closing;
	uv_loop_t *loop;
	uv_timer_t sweep;    /* looks for silent exchanges and old connections */
	uv_timer_t hurry;    /* tries a backend's next address beside one that does not answer */
	uv_idle_t turn;      /* runs while someone waits for a turn */
	unsigned open;       /* handles, connections and names whose memory is still needed */
	struct list active;  /* exchanges, by their `active` */
	struct list turns;   /* those that wait for a turn */
	struct list unnamed; /* those that wait for the backend's addresses */
	struct list kept;    /* connections, the one used last at the end */
	size_t n_kept;
	struct names *names;
	char *host; /* as the Host field has it: with the port, unless that is 80 */
	char *name; /* host:port, for sentences */
	uint64_t connect_timeout, idle_timeout, max_idle_age, sweep_ms;
	atomic_uint_fast64_t *strays; /* the target's, or NULL */
	struct budget *budget;        /* likewise */
	struct buf out;               /* scratch of the exchange that writes */
	char in[WIRE_READ_SIZE];
};

struct wire_connection {
	uint32_t magic;
	bool closing, reading, writing;
	bool carried; /* an exchange before the present one */
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
	struct buf rest;            /* what the socket has yet to take, in the budget */
	uint64_t idle_since;        /* ns, clock_mono(), when kept */
};

enum wire_state {
	WIRE_NEW,
	WIRE_DIALING, /* no connection yet */
	WIRE_TALKING,
	WIRE_OVER, /* how it ended is known; a turn, or that the caller takes the held body, is awaited */
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
	struct list dials;      /* connections under way */
	struct addresses *ways; /* ours */
	size_t next_way;
	int dial_error;
	uint64_t dial_begun, dial_last; /* ns, clock_mono() */

	/* The request. */
	struct upstream_request
	        request; /* pull, rewind and numbers; spans and fields are not kept */
	struct buf head; /* until the answer begins */
	uint64_t pulled;
	int body_error, write_error; /* what pull or the socket gave */
	unsigned sends;              /* times that it went out */
	bool is_head;
	bool may_repeat; /* it may go out twice */
	bool head_sent;
	bool body_read;    /* pull gave something, or its end */
	bool sent;         /* all of it is with the connection */
	bool write_failed; /* the rest can't be sent; there may be an answer all the same */
	bool pumping;

	/* The answer. */
	uint64_t last_activity; /* ns, clock_mono() */
	uint64_t connect_us;
	struct buf held; /* body that came after the caller had said no more, in the budget */
	bool heard;      /* a byte came since it was sent */
	bool head_seen;
	bool keeps; /* the answer lets the connection live */
	bool complete;
	bool paused;
	bool finished; /* our side was ended, once switched */
	bool switched; /* by a 101: what goes and comes is not HTTP */

	/* What waits for a turn. */
	bool cancelled, resume_asked, timed_out;

	enum upstream_reason reason; /* once over */
	const char *sentence;        /* static */
	const char *detail;          /* static, or NULL */
	struct buf text;
};

/* wire.c */
void wire_ask_turn(struct wire_exchange *x);
void wire_sweep_on(struct wire *w);
void wire_keep(struct wire_connection *c);
struct wire_connection *wire_take_kept(struct wire *w); /* clean, or NULL */
void wire_count_stray(const struct wire *w);            /* more came than an answer */
void wire_count(const struct wire *w, size_t bytes);    /* in the budget, if there is one */
void wire_uncount(const struct wire *w, size_t bytes);
void wire_release(struct wire *w); /* one of `open` is gone */

/* wire_connection.c */
struct wire_connection *wire_connection_create(struct wire *w, struct wire_exchange *user);
/* wire_dialed() follows, unless it is closed before. */
int wire_connection_connect(struct wire_connection *c, const union address_any *to) MUST_CHECK;
int wire_connection_read(struct wire_connection *c) MUST_CHECK;
void wire_connection_hold(struct wire_connection *c); /* reads no more for now */
/* 0: the bytes are gone or kept; while `writing`, wire_pump() follows. later: not now, to let others in. */
int wire_connection_write(
        struct wire_connection *c, const struct span *parts, size_t n, bool later) MUST_CHECK;
/* No more is written; what was goes out before. */
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
/* No callback is called: a turn follows. detail: static, or NULL. */
void wire_give_up(struct wire_exchange *x, enum upstream_reason reason, const char *sentence,
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
