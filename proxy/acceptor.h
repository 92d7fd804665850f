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

/* Takes ownership of fd, an accepted socket. */
typedef void (*acceptor_client)(struct worker *w, int fd);

enum acceptor_state { ACCEPTOR_OPEN, ACCEPTOR_PAUSED, ACCEPTOR_CLOSED };

struct acceptor {
	struct worker *worker;
	acceptor_client on_client;
	enum acceptor_state state;
	int fd;
	uv_poll_t poll; /* its data is the worker */
};

/* Takes ownership of fd, a bound socket. Accepts no client before the loop runs; then calls
 * on_client for each. Returns 0 or a negative errno; call acceptor_close() in both cases. */
int acceptor_open(
        struct acceptor *a, struct worker *w, int fd, acceptor_client on_client) MUST_CHECK;
void acceptor_resume(struct acceptor *a); /* accepts again if there is room */
/* Accepts the clients in the backlog first, unless the worker is aborting. Idempotent; only the
 * first call's `closed` is called. */
void acceptor_close(struct acceptor *a, uv_close_cb closed);
