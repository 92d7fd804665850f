#pragma once
/*
 * chunk - immutable, counted bytes: the one thing that relay, copies and the recorder share.
 *
 * A chunk is filled by its maker and never changed once a second holder has it. It accounts its
 * size to the budget it was made against from creation until the last unref. Any thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buf.h"

struct chunk {
	atomic_uint refs;
	struct budget *budget; /* NULL: not accounted */
	size_t accounted;
	size_t len;
	char data[];
};

/* One reference is the caller's. budget may be NULL. For the relay: counted, never refused. */
struct chunk *chunk_make(struct budget *budget, const void *data, size_t len);
/* For copies and records: NULL when the budget has no room. */
struct chunk *chunk_try_make(struct budget *budget, const void *data, size_t len) MUST_CHECK;
struct chunk *chunk_ref(struct chunk *c);
void chunk_unref(struct chunk *c); /* NULL is fine */
struct span chunk_span(const struct chunk *c);

/* A list of chunks, each held by one reference: a body as it came. */
struct chunks {
	struct chunk **items;
	size_t n;
	size_t cap;
	size_t bytes;
};

/* All of the list as one chunk, for the relay: counted, never refused. */
struct chunk *chunk_join(struct budget *budget, const struct chunks *list);

void chunks_push(struct chunks *list, struct chunk *c); /* takes over the caller's reference */
void chunks_finish(struct chunks *list);                /* gives all references back */
struct chunks chunks_copy(const struct chunks *list);   /* the same chunks, referenced again */
void chunks_gather(const struct chunks *list, struct buf *to);
