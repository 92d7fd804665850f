#pragma once
/*
 * routes - how many requests of each known endpoint were answered with which status. Any thread.
 */
#include <stdatomic.h>

#include "base/buf.h"
#include "answers/request.h"

#define ROUTE_STATUSES 1000

struct routes {
	/* 0: the client left, or was cut off, before a status was sent. */
	atomic_uint_fast64_t answered[N_ENDPOINTS][ROUTE_STATUSES];
};

void routes_count(struct routes *r, enum endpoint e, int status);
/* Those that there were. */
void routes_write(struct routes *r, struct buf *to);
