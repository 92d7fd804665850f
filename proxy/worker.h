#pragma once
/*
 * worker - one event loop in its own thread, with its listener, its clients and its connections to
 * backends.
 *
 *	worker_create()      takes a bound socket; nothing runs
 *	worker_start()       the thread starts to accept clients
 *	worker_set_config()  any thread: new exchanges use another snapshot
 *	worker_command()     any thread: asks the loop to change to DRAINING or ABORTING
 *	worker_join()        after on_end was called
 *
 * States only move forward:
 *
 *	RUNNING   accepts clients
 *	DRAINING  accepts only clients that are in the backlog already, closes idle connections,
 *	          and waits for the others
 *	ABORTING  ends all exchanges that are left
 *	CLOSING   waits until all handles are closed
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
#define WORKER_TICK_MS 1000

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
	uv_timer_t tick;       /* checks deadlines every second, or every 50 ms */
	uv_check_t after_poll; /* sends corked bytes, so that head and body share a packet */
	uv_prepare_t before_poll;
	unsigned open_handles;
	struct worker_config *config; /* the configuration for exchanges that begin now */
	struct list configs;          /* struct worker_config: all in use */
	struct list mirrors;          /* struct mirror, of all configs */
	struct list clients;          /* struct client */
	/* number of this worker's idle clients, which shared->idle_clients includes */
	unsigned idle;
	/* struct client: those with bytes from client_send() that wait for client_uncork() */
	struct list corked;
	struct list exchanges; /* struct exchange: those that are not complete yet */
	bool polling;          /* the tick runs every 50 ms */
	uint64_t aborted_at;   /* clock_mono() ns; when ABORTING began; 0: not yet */
	/* protects can_wake and next_config; other threads hold it to wake the loop */
	uv_mutex_t wake_lock;
	bool can_wake;
	/* NULL, or a snapshot that is in force from the next iteration of the loop on; a counted
	 * reference */
	struct config_snapshot *next_config;
	atomic_int wanted;         /* enum worker_state that another thread asked for */
	void (*on_end)(void *arg); /* the worker's last call, on its own thread */
	void *on_end_arg;
	struct buf gathered; /* working space: small pieces of one body, from one read */
	char read_buffer[WORKER_READ_SIZE];
};

/* Takes ownership of fd, a bound socket. index: its number among the workers, from 0. Returns 0
 * or a negative errno. */
int worker_create(struct shared *s, unsigned index, int fd, void (*on_end)(void *arg), void *arg,
        struct worker **ret) MUST_CHECK;
int worker_start(struct worker *w) MUST_CHECK; /* 0 or a negative errno */
void worker_command(struct worker *w, enum worker_state wanted);
/* Exchanges that begin after the next iteration of the loop has started use this snapshot. */
void worker_set_config(struct worker *w, struct config_snapshot *snapshot);
/* any thread: the mirrors of all workers start waiting copies if slots are free */
void worker_wake_all(struct shared *s);
void worker_join(struct worker *w);
/* Call after worker_join(), or if the worker was never started. NULL is fine. */
void worker_destroy(struct worker *w);

/* Makes the worker tick every 50 ms while that is needed (a client that is not read from, a
 * drain). Loop thread only. */
void worker_poll_often(struct worker *w);

/* True from DRAINING on. */
static inline bool worker_draining(const struct worker *w)
{
	return w->state != WORKER_RUNNING;
}

/* The settings for exchanges that begin now. */
static inline const struct settings *worker_settings(const struct worker *w)
{
	return w->config->snapshot->settings;
}
