#pragma once
/*
 * caller - a client's connection: requests in, answers out, one at a time; pipelined ones in order.
 *
 * Output is collected and written once in each loop iteration. When a caller disconnects, its
 * answer is cancelled. Loop thread only. The last uv_close_cb frees the memory.
 */
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "backends/engine/company.h"
#include "backends/engine/engine.h"
#include "backends/engine/gzip.h"
#include "backends/engine/language.h"
#include "base/buf.h"
#include "base/http.h"
#include "base/rng.h"

#define CALLER_MAGIC 0x63616c6cu
#define CALLER_BODY_LIMIT ((size_t)128 << 20)
#define CALLER_BACKLOG_LIMIT ((size_t)256 << 10)

struct canned;
struct capture;
struct prefixes;
struct turn;

/* What answers a request: a turn or a playback. It ends by caller_answered() or by cancel(). */
struct act {
	const struct act_kind *kind;
};
struct act_kind {
	void (*cancel)(struct act *a);  /* the caller disconnected: nothing more is written */
	void (*drained)(struct act *a); /* the caller's backlog is empty */
};

/* One thread's part of the engine. */
struct worker {
	uint32_t magic;
	uv_loop_t loop;
	uv_tcp_t listener;
	uv_async_t stop;
	const struct engine_options *options;
	const struct language *language;
	const struct canned *canned; /* NULL unless --canned */
	struct rng random;           /* ids, jitter */
	uint64_t n_requests, n_tokens, n_cancelled, n_turns;
	uint32_t running;                     /* turns admitted */
	uint32_t peak;                        /* the most that were at once */
	struct turn *waiting, **waiting_tail; /* turns that wait for a slot, in order */
	struct company company;
	struct caller *callers;
	char date[64]; /* "Date: ...\r\n" of the current second */
	uint64_t date_second;
	struct prefixes *prefixes; /* NULL: no prefix cache */
	struct capture *recorded;  /* --from: the capture with its answers; else NULL */
};

/* A complete request. Spans are valid until it is answered. */
struct request {
	struct span method, target;
	int minor;
	bool keep_alive;
	struct fault_set faults;
	uint32_t replica; /* number of the server among several; 0: the only one */
	struct span body;
	struct span path; /* target without its query */
};

enum caller_after { CALLER_KEEP, CALLER_CLOSE, CALLER_RESET };

struct caller {
	uint32_t magic;
	struct worker *worker;
	struct caller *next, **link;
	uv_tcp_t tcp;
	uv_timer_t timer; /* the act's */
	uv_timer_t drip;  /* slow sending, late second responses */
	uv_shutdown_t shutdown;
	int open_handles;
	bool closing, processing, complete, reading;
	bool gone; /* nothing more will be written */
	struct http_parser *parser;
	struct buf in;   /* read ahead */
	struct buf head; /* method and target of the current request */
	struct buf body;
	struct request request;
	bool too_large;
	char *fault_problem;
	struct act *act; /* what answers the current request, if that takes time */
	void (*on_timer)(struct caller *c); /* NULL: no timer */
	struct buf out;
	size_t in_flight;        /* bytes handed to uv_write */
	enum caller_after after; /* once everything is written */
	bool sized;              /* the current body has a Content-Length and no chunks */
	uint64_t drip_ns;        /* slow: interval between bytes; 0: off */
	struct buf late;         /* a second response, to be sent on the idle connection */
	struct gzip gzip;        /* of the current streamed body */
};

void caller_accept(struct worker *w);
void caller_close(struct caller *c); /* at once; idempotent */
void caller_write(struct caller *c, const void *data, size_t n);
void caller_flush(struct caller *c);
size_t caller_backlog(const struct caller *c);
/* Calls on_timer after this time; 0: in the next loop iteration. */
void caller_wait(struct caller *c, uint64_t ns, void (*on_timer)(struct caller *c));
/* The answer is complete; `after` says what follows. The act no longer exists. */
void caller_answered(struct caller *c, enum caller_after after);
const char *caller_date(struct worker *w);
