#pragma once
/*
 * manifest_cache - the manifests of one process, so that every segment in which a leg may name one holds it:
 * whoever learns one puts it here, and the store writes into each segment what it has not yet.
 *
 * The newest MANIFEST_CACHE_LIMIT are kept; what fell off is in older segments alone. Any thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"

#define MANIFEST_CACHE_LIMIT 32

struct manifest_cache;

struct manifest_cache *manifest_cache_create(void);
void manifest_cache_destroy(struct manifest_cache *s); /* NULL is fine */
/* Also for one that is in force again: it moves to the front, and is not written twice. */
void manifest_cache_put(struct manifest_cache *s, const struct manifest_row *row);
/*
 * What came after number *since, oldest first: fn gets the key and the value as they are stored; less
 * than 0 ends it and is returned. *since moves on.
 */
typedef int (*manifest_cache_fn)(void *arg, struct span key, struct span value);
int manifest_cache_since(
        struct manifest_cache *s, uint64_t *since, manifest_cache_fn fn, void *arg) MUST_CHECK;
size_t manifest_cache_bytes(struct manifest_cache *s, uint64_t since); /* of what came after it */
