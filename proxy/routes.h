#pragma once
/*
 * routes - counts requests by endpoint and by the status that the client got. Any thread.
 */
#include <stdatomic.h>

#include "base/buf.h"
#include "answers/request.h"

#define ROUTE_STATUSES 1000

struct routes {
	/* Status 0: no status was sent; the client left, or was disconnected. */
	atomic_uint_fast64_t answered[N_ENDPOINTS][ROUTE_STATUSES];
};

void routes_count(struct routes *r, enum endpoint e, int status);
/* Appends all counts that are not zero, as metrics. */
void routes_write(struct routes *r, struct buf *to);
