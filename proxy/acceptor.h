#pragma once
/*
 * acceptor - a worker's listening socket. Accepts clients while connections, file descriptors and
 * memory last; otherwise they wait in the kernel's backlog.
 *
 * 	OPEN ──limit reached──► PAUSED ──acceptor_resume()──► OPEN
 * 	  both ──acceptor_close()──► CLOSED
 *
 * We call accept() ourselves: when descriptors run out, libuv accepts connections only to close
 * them. Loop thread only.
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
	uv_poll_t poll; /* its data is the worker */
};

/*
 * Takes ownership of fd, a bound socket, also on failure; the caller must call acceptor_close() in
 * both cases. Accepts no client before the loop runs.
 */
int acceptor_open(struct acceptor *d, struct worker *w, int fd) MUST_CHECK;
void acceptor_resume(struct acceptor *d);                    /* accepts again if there is room */
void acceptor_close(struct acceptor *d, uv_close_cb closed); /* idempotent */
