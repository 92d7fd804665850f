#pragma once
/*
 * client - one client connection: reads requests one after the other, and writes the answers.
 *
 *	READY ──head──► REQUEST ──last byte──► WAITING ──answered──► READY
 *	WAITING ──101──► TUNNEL
 *	any ──the connection ends with this answer──► LINGER ──► CLOSED
 *
 * While an exchange runs, the client reads up to 64 KiB ahead, so that it notices when the peer
 * closes. While reading is stopped, it asks the kernel (TCP_INFO) every 50 ms instead. A client
 * frees itself after its socket has closed. Loop thread only.
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
	struct exchange *exchange; /* the running one, not owned; or NULL */
	struct buf read_ahead;     /* bytes that were read, but not parsed yet */
	struct buf out;            /* bytes to write after those of writing_out */
	struct buf writing_out;    /* bytes that libuv is writing */
	size_t accounted;          /* bytes that these three buffers have in the budget */
	uv_write_t write;
	uv_shutdown_t shutdown;
	/* clock_mono() ns; start of the state; in READY, of the next head if it has begun */
	uint64_t state_since;
	uint64_t last_read;     /* clock_mono() ns; the last read, or when reading resumed */
	uint64_t last_progress; /* clock_mono() ns; when `unsent` last changed */
	/* bytes of answers that the client had not acknowledged at last_progress */
	size_t unsent;
	bool reading, writing, parsing, shut;
	bool had_request; /* it has sent at least one request */
	bool eof;         /* the client sent FIN and still reads (half_close: keep, or a tunnel) */
	/* LINGER ends with RST, because FIN would look like the end of the answer */
	bool reset;
	/* writing failed; the connection is closed at the end of this loop iteration */
	bool failed;
	bool request_done; /* the parser has read a whole request */
	char peer[33];     /* keyed hash of its address */
};

/* Takes ownership of fd, an accepted socket. Logs a failure. */
void client_accept(struct worker *w, int fd);

/* Writes n parts, at most three: what the socket accepts now, and queues a copy of the rest. cork:
 * queues everything until client_uncork(), which runs at the end of this loop iteration. Never
 * disconnects, and calls no function of the exchange. */
void client_send(struct client *c, const struct span *parts, size_t n, bool cork);
/* Writes what client_send() corked, and then parses what was read ahead. May disconnect the client.
 * Call it only with no other callback on the stack. */
void client_uncork(struct client *c);
/* bytes that wait to be written to the socket */
size_t client_queued(const struct client *c);
/* true if no byte of the next head was parsed */
bool client_between_requests(const struct client *c);

/* Call when the answer is complete. keep: the connection may serve another request. */
void client_answered(struct client *c, bool keep);
/* Call when the answer broke off. Sends what is queued, then closes the connection; hard: with
 * RST. */
void client_abort(struct client *c, bool hard);
/* Call after read_ahead has changed. */
void client_update_budget(struct client *c);
/* Call when the exchange accepts more of the body. */
void client_resume_reading(struct client *c);

/* Only this function changes the state. */
void client_set_state(struct client *c, enum client_state state);
/* Closes the connection at once, and calls exchange_client_gone() if an exchange runs. reason:
 * for the log. Idempotent. */
void client_disconnect(struct client *c, const char *reason);
/* Closes the connection with RST. Only in LINGER. */
void client_disconnect_hard(struct client *c);
/* true if an exchange runs, and reading is stopped */
bool client_is_unread(const struct client *c);
/* true if client_timeouts_check() must run every 50 ms */
bool client_needs_polling(const struct client *c);
