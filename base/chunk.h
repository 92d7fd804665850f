#pragma once
/*
 * chunk - immutable bytes with a reference count, which the relay, copies and the recorder share.
 *
 * The creator fills a chunk before any other holder has it; then nobody changes it. Its size counts
 * in its budget from creation until the last unref. Any thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buf.h"

struct chunk {
	atomic_uint refs;
	struct budget *budget; /* NULL: no budget counts the chunk */
	size_t accounted;      /* bytes that the budget counts for the chunk */
	size_t len;
	char data[];
};

/* The caller owns one reference. budget may be NULL. For the relay: the budget counts the chunk
 * and never refuses it. */
struct chunk *chunk_make(struct budget *budget, const void *data, size_t len);
/* For copies and records. NULL: the budget has no room. */
struct chunk *chunk_try_make(struct budget *budget, const void *data, size_t len) MUST_CHECK;
struct chunk *chunk_ref(struct chunk *c);
void chunk_unref(struct chunk *c); /* NULL is fine */
struct span chunk_span(const struct chunk *c);

/* A body as it came: a list of chunks that owns one reference to each. */
struct chunks {
	struct chunk **items;
	size_t n;
	size_t cap;
	size_t bytes;
};

/* All bytes of the list as one chunk, for the relay: the budget never refuses it. */
struct chunk *chunk_join(struct budget *budget, const struct chunks *list);

void chunks_push(struct chunks *list, struct chunk *c); /* takes over the caller's reference */
void chunks_finish(struct chunks *list);                /* releases all references */
/* a list of the same chunks, with references of its own */
struct chunks chunks_copy(const struct chunks *list);
void chunks_gather(const struct chunks *list, struct buf *to); /* appends all bytes */
