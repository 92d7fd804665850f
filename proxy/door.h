#pragma once
/*
 * door - a worker's listening socket: lets clients in as long as there are places, descriptors and memory,
 * and otherwise leaves them waiting in the kernel's queue.
 *
 *	OPEN ──no place, no descriptor──► PAUSED ──door_look() finds one──► OPEN
 *	  either ──door_close()──► CLOSED
 *
 * accept() is called here and not by libuv, which, out of descriptors, takes connections in only to
 * close them. Loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include "base/check.h"

struct worker;

enum door_state { DOOR_OPEN, DOOR_PAUSED, DOOR_CLOSED };

struct door {
	struct worker *worker;
	enum door_state state;
	int fd;
	uv_poll_t poll;   /* its data is the worker */
	uint64_t told_at; /* ns; when it was last said that nobody is let in */
};

/*
 * fd is a bound socket, taken over in any case; on error the handle must be closed all the same.
 * Nobody is let in before the loop runs.
 */
int door_open(struct door *d, struct worker *w, int fd) MUST_CHECK;
void door_look(struct door *d);                      /* lets clients in again, if it can */
void door_close(struct door *d, uv_close_cb closed); /* idempotent */
