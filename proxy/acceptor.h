#pragma once
/*
 * acceptor - a worker's listening socket. Accepts clients while there are connections, file
 * descriptors and memory for them; otherwise they wait in the kernel's backlog.
 *
 *	OPEN ──limit reached──► PAUSED ──acceptor_resume()──► OPEN
 *	  both ──acceptor_close()──► CLOSED
 *
 * It calls accept() itself, because libuv accepts connections only to close them when descriptors
 * run out. Loop thread only.
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
 * Takes ownership of fd, a bound socket. Accepts no client before the loop runs. Returns 0 or a
 * negative errno; call acceptor_close() in both cases.
 */
int acceptor_open(struct acceptor *d, struct worker *w, int fd) MUST_CHECK;
void acceptor_resume(struct acceptor *d);                    /* accepts again if there is room */
void acceptor_close(struct acceptor *d, uv_close_cb closed); /* idempotent */
