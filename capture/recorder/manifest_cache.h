#pragma once
/*
 * manifest_cache - keeps the manifests that this process has observed, so that each segment gets
 * every manifest that its legs may name. The recorder adds manifests. The store writes into each
 * segment those that the segment does not have.
 *
 * The cache keeps the newest MANIFEST_CACHE_LIMIT manifests; only older segments have older ones.
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
/* Adds a copy of a manifest. Call it also when a known manifest becomes valid again: it then counts
 * as the newest, but keeps its number, so that no segment gets it twice. */
void manifest_cache_put(struct manifest_cache *s, const struct manifest_row *row);
/*
 * Manifests are numbered from 1 in the order in which they were first put. Calls fn with the key
 * and value of each manifest with a number above *since (0: all), and advances *since to the last
 * number. If fn returns a negative result, stops, returns it and leaves *since. fn must not use the
 * cache.
 */
typedef int (*manifest_cache_fn)(void *arg, struct span key, struct span value);
int manifest_cache_since(
        struct manifest_cache *s, uint64_t *since, manifest_cache_fn fn, void *arg) MUST_CHECK;
/* The bytes of the manifests with a number above `since`. */
size_t manifest_cache_bytes(struct manifest_cache *s, uint64_t since);
