#pragma once
/*
 * pending_bodies - holds the pieces of each body until the row of its owner (an exchange or a leg)
 * arrives, because redaction needs the complete body.
 *
 * A body is reference-counted, because parts in the queue outlive its entry in the table. Any
 * thread may use the table and the reference counts; only the owner's encoder adds and copies
 * pieces. The bytes count in the budget, as those of all chunks do.
 */
#include <pthread.h>

#include "base/chunk.h"
#include "base/hash_table.h"
#include "base/id.h"

struct pending_body;

void pending_body_unref(struct pending_body *h); /* NULL is fine */
/* Appends the pieces, takes over their references, and empties *pieces. */
void pending_body_add(struct pending_body *h, struct chunks *pieces);
/* Appends the whole body to *to. */
void pending_body_copy(const struct pending_body *h, struct buf *to);

struct pending_bodies {
	pthread_mutex_t lock;
	struct hash_table bodies;
};

void pending_bodies_init(struct pending_bodies *t);
void pending_bodies_finish(struct pending_bodies *t);
/* Returns a reference to the owner's body, which the caller releases; adds an empty body if there
 * is none. */
struct pending_body *pending_bodies_get(struct pending_bodies *t, struct id owner);
/* Removes the owner's body from the table, and returns a reference, which the caller releases.
 * NULL: the table has none. */
struct pending_body *pending_bodies_remove(struct pending_bodies *t, struct id owner);
