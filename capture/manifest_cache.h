#pragma once
/*
 * manifest_cache - keeps the manifests that this process has observed, so that a segment has every
 * manifest that its legs may name. Whoever observes a manifest puts it here, and the store writes
 * into each segment those that it does not have yet.
 *
 * The cache keeps the newest MANIFEST_CACHE_LIMIT manifests; older ones are in older segments only.
 * Any thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/record.h"

#define MANIFEST_CACHE_LIMIT 32

struct manifest_cache;

struct manifest_cache *manifest_cache_create(void);
void manifest_cache_destroy(struct manifest_cache *s); /* NULL is fine */
/* Adds a manifest. Call it also when a known manifest is valid again: it becomes the newest, and
 * is not written a second time into the same segment. */
void manifest_cache_put(struct manifest_cache *s, const struct manifest_row *row);
/*
 * Calls fn with the key and value of each manifest whose number is above *since, oldest first, and
 * then advances *since. If fn returns a negative result, the function stops and returns it.
 */
typedef int (*manifest_cache_fn)(void *arg, struct span key, struct span value);
int manifest_cache_since(
        struct manifest_cache *s, uint64_t *since, manifest_cache_fn fn, void *arg) MUST_CHECK;
/* bytes of the manifests whose number is above `since` */
size_t manifest_cache_bytes(struct manifest_cache *s, uint64_t since);
