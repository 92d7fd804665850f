#pragma once
/*
 * chunk - immutable bytes with a reference count, which the relay, copies and the recorder share.
 *
 * The creator fills a chunk before any other holder has it; then nobody changes it. Its size counts
 * in its budget from creation until the last unref. Any thread; for a list of chunks: one thread.
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

/* A chunk with a copy of the data; the caller owns one reference. For the relay: the budget counts
 * the chunk and never refuses it. budget may be NULL. */
struct chunk *chunk_make(struct budget *budget, const void *data, size_t len);
/* As chunk_make(), for copies and records. NULL: the budget has no room. */
struct chunk *chunk_try_make(struct budget *budget, const void *data, size_t len) MUST_CHECK;
struct chunk *chunk_ref(struct chunk *c); /* returns c */
void chunk_unref(struct chunk *c);        /* NULL is fine */
struct span chunk_span(const struct chunk *c);

/* The chunks of a body in order of arrival. The list owns one reference to each. Zero-initialised
 * is empty. */
struct chunks {
	struct chunk **items;
	size_t n;
	size_t cap;
	size_t bytes; /* sum of the chunks' lengths */
};

/* One new chunk, as from chunk_make(), with the bytes of all chunks. */
struct chunk *chunk_join(struct budget *budget, const struct chunks *list);

void chunks_push(struct chunks *list, struct chunk *c); /* takes over the caller's reference */
void chunks_finish(struct chunks *list);                /* releases all references */
/* a list of the same chunks, with references of its own */
struct chunks chunks_copy(const struct chunks *list);
void chunks_gather(const struct chunks *list, struct buf *to); /* appends all bytes */
