#pragma once
/*
 * caller - a client's connection: requests in, answers out, one turn at a time, pipelined ones in
 * order.
 *
 * Output is gathered and written once per turn of the loop. A caller that goes away cancels its
 * turn. Loop thread only. Memory is freed by the last uv_close_cb.
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

#define CALLER_MAGIC 0x63616c6cu
#define CALLER_BODY_LIMIT ((size_t)128 << 20)
#define CALLER_BACKLOG_LIMIT ((size_t)256 << 10)

struct canned;
struct prefixes;
struct turn;

/* One thread's part of the engine. */
struct worker {
	uint32_t magic;
	uv_loop_t loop;
	uv_tcp_t listener;
	uv_async_t stop;
	const struct engine_options *options;
	const struct language *language;
	const struct canned *canned; /* NULL unless --canned */
	uint64_t random;             /* ids, jitter */
	uint64_t n_requests, n_tokens, n_cancelled, n_turns;
	uint32_t running;                     /* turns admitted */
	uint32_t peak;                        /* the most that were at once */
	struct turn *waiting, **waiting_tail; /* turns that wait for a place, in order */
	struct company company;
	struct caller *callers;
	char date[64]; /* "Date: ...\r\n" of the present second */
	uint64_t date_second;
	struct prefixes *prefixes; /* NULL: no prefix cache */
};

/* A request that has come whole. Spans are valid until the turn ends. */
struct request {
	struct span method, target;
	int minor;
	bool keep_alive;
	struct fault_set faults;
	struct span body;
	struct span path; /* target without its query */
};

enum caller_after { CALLER_KEEP, CALLER_CLOSE, CALLER_RESET };

struct caller {
	uint32_t magic;
	struct worker *worker;
	struct caller *next, **link;
	uv_tcp_t tcp;
	uv_timer_t timer; /* the turn's */
	uv_timer_t drip;  /* slow sending, late second responses */
	uv_shutdown_t shutdown;
	int open_handles;
	bool closing, processing, complete, reading;
	bool gone; /* nothing more will be written */
	struct http_parser *parser;
	struct buf in;   /* read ahead */
	struct buf head; /* method and target of the request under way */
	struct buf body;
	struct request request;
	bool too_large;
	char *fault_problem;
	struct turn *turn;
	void (*on_timer)(struct caller *c); /* NULL: nothing is due */
	struct buf out;
	size_t in_flight;        /* bytes handed to uv_write */
	enum caller_after after; /* once everything is written */
	uint64_t drip_ns;        /* slow: a byte each time; 0: off */
	struct buf late;         /* a second response, to be sent on the idle connection */
	struct gzip gzip;        /* of a streamed body under way */
};

void caller_accept(struct worker *w);
void caller_close(struct caller *c); /* at once; idempotent */
void caller_write(struct caller *c, const void *data, size_t n);
void caller_flush(struct caller *c);
size_t caller_backlog(const struct caller *c);
/* Calls on_timer after that long; 0: in the next turn of the loop. */
void caller_wait(struct caller *c, uint64_t ns, void (*on_timer)(struct caller *c));
/* The answer is complete; what comes after it. The turn is no more. */
void caller_answered(struct caller *c, enum caller_after after);
const char *caller_date(struct worker *w);
