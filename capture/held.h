#pragma once
/*
 * held - bodies that wait for their owner's row, because what is to be redacted in them can be told only when they
 * are whole.
 *
 * Counted, for parts in the queue outlive the table that finds them. Counting and the table are for any
 * thread; adding and gathering for the owner's encoder alone. What is held stays in the budget, as chunks do.
 */
#include <pthread.h>

#include "base/chunk.h"
#include "base/id.h"

struct held;

void held_unref(struct held *h); /* NULL is fine */
/* Takes the references over. What there is no memory for is let go of, with all that is held and that would be added. */
void held_add(struct held *h, struct chunks *pieces);
bool held_whole(const struct held *h); /* nothing of it was let go of */
size_t held_bytes(const struct held *h);
void held_gather(const struct held *h, struct buf *to);

#define HELD_BUCKETS 1024

struct held_table {
	pthread_mutex_t lock;
	struct held *buckets[HELD_BUCKETS];
};

void held_table_init(struct held_table *t);
void held_table_finish(struct held_table *t);
struct held *held_table_get(
        struct held_table *t, struct id owner); /* finds or makes; a reference */
struct held *held_table_take(
        struct held_table *t, struct id owner); /* the table's own reference, or NULL */
