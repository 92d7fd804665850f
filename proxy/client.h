#pragma once
/*
 * client - one client connection: parses its requests one after the other, and writes the answers.
 *
 * 	READY ──head──► REQUEST ──last byte──► WAITING ──answered──► READY
 * 	WAITING ──101──► TUNNEL
 * 	any ──the connection ends with this answer──► LINGER ──► CLOSED
 *
 * While an exchange runs, up to 64 KiB are read ahead, so that the client's end is noticed. While
 * reading is stopped, TCP_INFO is polled every 50 ms instead. Freed in the close callback of its
 * socket. Loop thread only.
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
	CLIENT_READY,   /* between requests, or inside a head */
	CLIENT_REQUEST, /* reading the body of a request */
	CLIENT_WAITING, /* the request is complete, the answer is not */
	CLIENT_TUNNEL,  /* a websocket: bytes pass both ways */
	CLIENT_LINGER,  /* sending the last answer; input is discarded */
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
	struct exchange *exchange; /* running; not owned; or NULL */
	struct buf read_ahead;     /* read, not parsed yet */
	struct buf out;            /* waits until writing_out is written */
	struct buf writing_out;    /* being written */
	size_t accounted;          /* bytes of these three in the budget */
	uv_write_t write;
	uv_shutdown_t shutdown;
	uint64_t state_since;   /* ns; in READY: the later of its start and the head's first byte */
	uint64_t last_read;     /* ns; of the last read, or when reading resumed */
	uint64_t last_progress; /* ns; when it last took bytes of ours */
	size_t unsent;          /* bytes it had not taken by then */
	bool reading, writing, parsing, shut;
	bool had_request;  /* it has sent a request */
	bool eof;          /* it half-closed, and half_close is keep */
	bool reset;        /* LINGER ends with RST: FIN would look like the answer's end */
	bool failed;       /* writing failed: closed at the end of this loop iteration */
	bool request_done; /* the parser has consumed a whole request */
	char peer[33];     /* keyed hash of its address */
};

/* Takes over an accepted socket. Logs a failure. */
void client_accept(struct worker *w, int fd);

/*
 * Writes what the socket accepts and queues the rest. cork: queue everything until this loop
 * iteration ends. Does not disconnect and does not call the exchange back.
 */
void client_send(struct client *c, const struct span *parts, size_t n, bool cork);
void client_uncork(struct client *c);
size_t client_queued(const struct client *c);         /* bytes not written to the socket yet */
bool client_between_requests(const struct client *c); /* no byte of the next head was parsed */

/* The answer is complete. keep: the connection may serve another request. */
void client_answered(struct client *c, bool keep);
/*
 * The answer broke off. Sends what is queued, then closes. hard: with RST.
 */
void client_abort(struct client *c, bool hard);
/* read_ahead has changed. */
void client_update_budget(struct client *c);
/* The exchange accepts more of the body. */
void client_resume_reading(struct client *c);

/* Nothing else changes the state. */
void client_set_state(struct client *c, enum client_state state);
/* Closes at once, and tells the exchange. Idempotent. */
void client_disconnect(struct client *c, const char *reason);
/* Closes with RST. In LINGER only. */
void client_disconnect_hard(struct client *c);
bool client_is_unread(const struct client *c);     /* an exchange runs, and reading is stopped */
bool client_needs_polling(const struct client *c); /* client_timeouts_check() is due every 50 ms */
