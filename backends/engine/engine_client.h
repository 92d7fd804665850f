#pragma once
/*
 * engine_client - a client's connection to the simulated engine. It handles one request at a time;
 * pipelined requests are answered in order.
 *
 * Output is collected and written once in each loop iteration. When a client disconnects, its
 * answer is cancelled. Loop thread only. A client frees itself after it was closed.
 */
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "backends/engine/batch_effects.h"
#include "backends/engine/engine.h"
#include "backends/engine/engine_problem.h"
#include "backends/engine/gzip.h"
#include "backends/engine/language.h"
#include "base/buf.h"
#include "base/http.h"
#include "base/list.h"
#include "base/rng.h"

#define ENGINE_CLIENT_MAGIC 0x63616c6cu
#define ENGINE_CLIENT_BODY_LIMIT ((size_t)128 << 20)    /* a longer body gets 413 */
#define ENGINE_CLIENT_BACKLOG_LIMIT ((size_t)256 << 10) /* responders pause above it */

struct canned;
struct capture;
struct engine_client;
struct prefix_cache;

/* Makes the answer to a request over some time: a generated answer or a playback. It ends when it
 * calls engine_client_answered(), or when its cancel() is called. */
struct responder {
	const struct responder_kind *kind;
};
struct responder_kind {
	void (*cancel)(struct responder *r);  /* the client disconnected: ends and frees r */
	void (*drained)(struct responder *r); /* all output so far was sent */
};

/* One thread of the engine. */
struct worker {
	uint32_t magic;
	uv_loop_t loop;
	uv_tcp_t listener;
	uv_async_t stop;
	const struct engine_options *options;
	/* answers a client's complete request, or begins to: endpoints_serve() */
	void (*serve)(struct engine_client *c);
	const struct language *language;
	const struct canned *canned; /* NULL unless --canned */
	struct rng random;           /* for ids, delays, faults and missing seeds */
	uint64_t n_requests, n_tokens, n_cancelled, n_turns;
	uint32_t running;    /* turns that have a slot */
	uint32_t peak;       /* the most turns that had a slot at one time */
	struct list waiting; /* turns that wait for a slot, in order */
	struct batch_effects batch;
	struct list clients;
	char date[64]; /* "Date: ...\r\n" of the current second */
	uint64_t date_second;
	struct prefix_cache *prefixes; /* NULL: no prefix cache */
	struct capture *recorded;      /* with --from: the capture with the answers; else NULL */
};

/* A complete request. Spans are valid until it is answered. */
struct http_request {
	struct engine_problem problem; /* status 0: none; else why it cannot be served */
	struct span method, target;    /* data NULL: it was not HTTP */
	struct span path;              /* the target without its query */
	struct span body;
	int minor;
	bool keep_alive;
	struct fault_set faults;
	uint32_t replica; /* which of several simulated servers answers; 0: there is only one */
};

enum engine_client_after { ENGINE_CLIENT_KEEP, ENGINE_CLIENT_CLOSE, ENGINE_CLIENT_RESET };

struct engine_client {
	uint32_t magic;
	struct worker *worker;
	struct list link; /* in worker->clients */
	uv_tcp_t tcp;
	uv_timer_t timer; /* of engine_client_wait() */
	uv_timer_t drip;  /* for slow sending, then for the delay before a close */
	uv_shutdown_t shutdown;
	int open_handles;
	bool closing, processing, complete, reading;
	bool gone; /* nothing more may be written */
	struct http_parser *parser;
	struct buf in;   /* bytes that were read ahead */
	struct buf head; /* method and target of the current request */
	struct buf body;
	struct http_request request;
	struct responder *responder; /* while the answer to the current request is being made */
	void (*on_timer)(struct engine_client *c); /* NULL: no timer */
	struct buf out;
	size_t in_flight;               /* bytes passed to uv_write() that it has not sent */
	enum engine_client_after after; /* what to do after everything is written */
	bool sized;                     /* the answer has a Content-Length and no chunks */
	uint64_t drip_ns;               /* slow sending: ns between two bytes; 0: off */
	struct buf late;  /* a second response, which is sent when the connection is idle */
	struct gzip gzip; /* state of the current streamed body */
};

void engine_client_accept(struct worker *w);
void engine_client_close(struct engine_client *c); /* closes at once; may be called again */
/* Appends output; after the end of the connection it does nothing. */
void engine_client_write(struct engine_client *c, const void *data, size_t n);
/* Bytes of output that the kernel has not accepted. */
size_t engine_client_backlog(const struct engine_client *c);
/* Calls on_timer once, after ns; 0: in the next iteration. A second call replaces the first. */
void engine_client_wait(
        struct engine_client *c, uint64_t ns, void (*on_timer)(struct engine_client *c));
/* Call it when the answer is complete: `after` says what to do with the connection. The responder
 * must be freed before. */
void engine_client_answered(struct engine_client *c, enum engine_client_after after);
/* The field "Date" of the current second with its CRLF; valid until the next call. */
const char *engine_client_date(struct worker *w);
