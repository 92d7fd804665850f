#pragma once
/*
 * client - one connection from a client: its requests are parsed in order, one exchange at a time,
 * and answered.
 *
 *	WAITING ──101──► TUNNEL
 *	READY ──head──► REQUEST ──last byte──► WAITING ──answered──► READY
 *	   any of them ──answer that ends the connection──► LINGER ──► CLOSED
 *
 * While an exchange waits, reading goes on into a read-ahead of at most 64 KiB, so that the
 * client's end is seen. Where reading has to stop, TCP_INFO is looked at every 50 ms instead.
 * Memory goes with the socket's close callback. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/http.h"
#include "base/list.h"

struct exchange;
struct worker;

#define CLIENT_MAGIC 0xc11e9701u

enum client_state {
	CLIENT_READY,   /* between requests, or within a head */
	CLIENT_REQUEST, /* a request's body is coming in */
	CLIENT_WAITING, /* the request is whole, its answer is not */
	CLIENT_TUNNEL,  /* its exchange became a websocket; bytes pass both ways */
	CLIENT_LINGER,  /* the last answer goes out; what still comes in is thrown away */
	CLIENT_CLOSED,
};

struct client {
	uint32_t magic;
	enum client_state state;
	struct worker *worker;
	struct list link; /* in worker->clients */
	struct list cork; /* in worker->corked */
	uv_tcp_t tcp;
	struct http_parser *parser;
	struct exchange *exchange; /* under way; not owned */
	struct buf read_ahead;     /* read and not yet parsed */
	struct buf out;            /* to be written after what is being written */
	struct buf writing_out;    /* being written */
	size_t accounted;          /* of the three, in the budget */
	uv_write_t write;
	uv_shutdown_t shutdown;
	uint64_t
	        state_since; /* ns, when the present state began; READY: or its head's first byte came */
	uint64_t last_read; /* ns, when it was last read from, or reading began again */
	uint64_t
	        last_progress; /* ns, when it was last seen to take something of what waits for it */
	size_t unsent;         /* what was seen to wait then */
	bool reading, writing, parsing, shut;
	bool had_request; /* it has made a request */
	bool eof;         /* the client half-closed and half_close: keep */
	bool reset;       /* LINGER ends by a reset: a close would look like an answer's end */
	bool failed; /* the socket took no more; the connection ends with this turn of the loop */
	bool request_done; /* the parser stands behind the last byte of a request */
	char peer[33];     /* keyed hash of its address */
};

/* Takes over an accepted socket; one that fails is logged and gone. */
void client_accept(struct worker *w, int fd);

/*
 * Sends now what the socket takes and keeps the rest. cork: wait for more until this turn of the
 * loop ends. Never ends the connection from within: an exchange that sends isn't called back.
 */
void client_send(struct client *c, const struct span *parts, size_t n, bool cork);
void client_uncork(struct client *c);
size_t client_queued(const struct client *c);         /* bytes that the socket has not taken */
bool client_between_requests(const struct client *c); /* not one byte of the next head was parsed */

/* The exchange's answer is whole; keep: the connection may serve another request. */
void client_answered(struct client *c, bool keep);
/*
 * The answer broke off: what is queued goes out, then the connection ends early. hard: by a reset.
 */
void client_abort(struct client *c, bool hard);
/* What was read ahead has become more or less. */
void client_update_budget(struct client *c);
/* The exchange can take more of the body. */
void client_resume_reading(struct client *c);

/* The one setter. */
void client_set_state(struct client *c, enum client_state state);
/* The one acceptor: ends the connection at once. Idempotent; the exchange is told. */
void client_disconnect(struct client *c, const char *reason);
/* Likewise, by a reset: its last answer must not look whole. LINGER only. */
void client_disconnect_hard(struct client *c);
bool client_is_unread(const struct client *c);     /* an exchange runs and reading has stopped */
bool client_needs_polling(const struct client *c); /* needs a look every 50 ms */
