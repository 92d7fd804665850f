#pragma once
/*
 * pending_bodies - bodies that wait for their owner's row, because redaction needs the complete
 * body.
 *
 * Reference-counted, since parts in the queue outlive the table. Reference counts and the table may
 * be used from any thread; adding and copying only by the owner's encoder. Held bytes count in the
 * budget, as chunks do.
 */
#include <pthread.h>

#include "base/chunk.h"
#include "base/id.h"

struct pending_body;

void pending_body_unref(struct pending_body *h); /* NULL is fine */
void pending_body_add(
        struct pending_body *h, struct chunks *pieces); /* takes the references over */
void pending_body_copy(const struct pending_body *h, struct buf *to);

#define PENDING_BUCKETS 1024

struct pending_bodies {
	pthread_mutex_t lock;
	struct pending_body *buckets[PENDING_BUCKETS];
};

void pending_bodies_init(struct pending_bodies *t);
void pending_bodies_finish(struct pending_bodies *t);
struct pending_body *pending_bodies_get(
        struct pending_bodies *t, struct id owner); /* finds or makes; a reference */
struct pending_body *pending_bodies_take(
        struct pending_bodies *t, struct id owner); /* the table's own reference, or NULL */
