#pragma once
/*
 * acceptor - a worker's listening socket: lets clients in as long as there are places, descriptors and memory,
 * and otherwise leaves them waiting in the kernel's queue.
 *
 *	OPEN ──no place, no descriptor──► PAUSED ──acceptor_resume() finds one──► OPEN
 *	  either ──acceptor_close()──► CLOSED
 *
 * accept() is called here and not by libuv, which, out of descriptors, takes connections in only to
 * close them. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/check.h"

struct worker;

enum acceptor_state { ACCEPTOR_OPEN, ACCEPTOR_PAUSED, ACCEPTOR_CLOSED };

struct acceptor {
	struct worker *worker;
	enum acceptor_state state;
	int fd;
	uv_poll_t poll;       /* its data is the worker */
	uint64_t reported_at; /* ns; when it was last said that nobody is let in */
};

/*
 * fd is a bound socket, taken over in any case; on error the handle must be closed all the same.
 * Nobody is let in before the loop runs.
 */
int acceptor_open(struct acceptor *d, struct worker *w, int fd) MUST_CHECK;
void acceptor_resume(struct acceptor *d);                    /* lets clients in again, if it can */
void acceptor_close(struct acceptor *d, uv_close_cb closed); /* idempotent */
