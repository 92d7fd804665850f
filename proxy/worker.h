#pragma once
/*
 * worker - one event loop in its own thread, with its listener, its clients and its connections to
 * backends.
 *
 * 	worker_create()      binds sockets; nothing runs
 * 	worker_start()       the thread starts to accept
 * 	worker_set_config()  any thread: another snapshot
 * 	worker_command()     any thread: DRAINING, then ABORTING
 * 	worker_join()        after on_end was called
 *
 * States only move forward. RUNNING accepts. DRAINING accepts only clients already in the backlog,
 * closes idle connections, and waits for the rest. ABORTING ends what is left. CLOSING waits for
 * handles.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/list.h"
#include "proxy/acceptor.h"
#include "proxy/shared.h"
#include "proxy/worker_config.h"

#define WORKER_MAGIC 0x3073e4b1u
#define WORKER_READ_SIZE 65536

enum worker_state { WORKER_RUNNING, WORKER_DRAINING, WORKER_ABORTING, WORKER_CLOSING };

struct worker {
	uint32_t magic;
	struct shared *shared;
	unsigned index;
	enum worker_state state;
	uv_thread_t thread;
	uv_loop_t loop;
	struct acceptor acceptor;
	uv_async_t wake;       /* a command, a new snapshot, or a reference's slot became free */
	uv_timer_t tick;       /* deadlines; every second, or every 50 ms */
	uv_check_t after_poll; /* sends corked heads: head and body share a packet */
	uv_prepare_t before_poll;
	unsigned open_handles;
	struct worker_config *config; /* of exchanges that begin now */
	struct list configs;          /* struct worker_config: all that are in use */
	struct list mirrors;          /* struct mirror, of all configs */
	struct list clients;          /* struct client */
	unsigned idle;                /* of them; its part of shared->idle_clients */
	struct list corked;           /* clients with a head that waits for body bytes */
	struct list exchanges;        /* struct exchange: whose primary leg has not ended */
	bool polling;                 /* the tick runs every 50 ms */
	uint64_t aborted_at;
	uv_mutex_t wake_lock; /* of the next two; other threads wake us under it */
	bool can_wake;
	struct config_snapshot
	        *next_config;      /* to be played from the next turn of the loop on; or NULL */
	atomic_int wanted;         /* enum worker_state asked for by another thread */
	void (*on_end)(void *arg); /* called on this thread, last */
	void *on_end_arg;
	struct buf gathered; /* small pieces of a body, of one read */
	char read_buffer[WORKER_READ_SIZE];
};

/* Takes over fd, a bound socket. */
int worker_create(struct shared *s, unsigned index, int fd, void (*on_end)(void *arg), void *arg,
        struct worker **ret) MUST_CHECK;
int worker_start(struct worker *w) MUST_CHECK;
void worker_command(struct worker *w, enum worker_state wanted);
/* Exchanges use this snapshot if they begin after the next loop iteration starts. */
void worker_set_config(struct worker *w, struct config_snapshot *snapshot);
void worker_wake(struct worker *w); /* any thread: its mirrors look for free slots */
void worker_wake_all(struct shared *s);
void worker_join(struct worker *w);
void worker_destroy(
        struct worker *w); /* after the join, or if it was never started; NULL is fine */

/* Loop thread: ticks every 50 ms while needed (a client that is not read from, a drain). */
void worker_poll_often(struct worker *w);
bool worker_draining(const struct worker *w);

/* Of exchanges that begin now. */
static inline const struct settings *worker_settings(const struct worker *w)
{
	return w->config->snapshot->settings;
}
