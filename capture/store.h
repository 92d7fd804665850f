#pragma once
/*
 * store - writes batches to the current segment, begins the next one when the current one is full
 * or fails, and deletes old segments to make room.
 *
 * After an error of the disk or the map, a batch is tried once more in a new segment; if that
 * fails, the batch is given up. A new segment is then tried after 1 s, later every 5 s if there is
 * a batch to write. If the directory was deleted, emptied or moved, the store notices it before the
 * next batch and creates the directory again. Writer thread only, except for the figures. Sealing a
 * segment reads all of it; a separate thread does that.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buckets.h"
#include "base/id.h"
#include "capture/segment.h"
#include "capture/manifest_cache.h"

struct store_settings {
	const char *dir;
	uint64_t segment_size;
	uint64_t max_size; /* 0: no limit */
	bool drop_oldest;
	uint64_t retain; /* ns; segments whose last write is older are deleted; 0: never */
	bool durable;
	struct id run;
	const uint8_t *hash_key;
	const char *settings_json;        /* may be NULL */
	struct manifest_cache *manifests; /* written into each segment; may be NULL */
};

struct store_figures {
	atomic_uint_fast64_t commits, errors, segments, deleted, bytes;
	atomic_bool failing;
	struct buckets commit; /* durations of commits */
};

struct store;

/* Opens the first segment; returns a negative errno if that fails. The settings must outlive the
 * store. */
int store_create(const struct store_settings *s, struct store **ret) MUST_CHECK;
void store_destroy(struct store *st); /* seals; NULL is fine */

/*
 * Writes the batch's rows into the open transaction of a segment. If the store had to change to
 * another segment, it is called again and must write all rows again. *number: the next commit
 * number.
 */
typedef int (*store_fill_fn)(void *arg, struct segment_writer *w, uint64_t *number);

/*
 * bytes: about how much fill will write. Returns 0; -EDQUOT: max_size is reached; another negative
 * errno: an error of the disk or the map. STORE_ANEW: nothing of the batch was written; the
 * directory was lost with all earlier data and was created again; the caller must call again.
 */
#define STORE_ANEW 1
int store_write(struct store *st, size_t bytes, store_fill_fn fill, void *arg) MUST_CHECK;
/*
 * Does the work that depends on time. If `retain` is set, a segment ends after at most an eighth of
 * it, and old segments are deleted. To be called by the writer thread after each batch, and every
 * STORE_TICK_NS while it waits. False: no such work is configured.
 */
#define STORE_TICK_NS (1 * UINT64_C(1000000000))
bool store_tick(struct store *st) MUST_CHECK;
/* Announces changed settings: the next batch begins a new segment whose meta has them. Any
 * thread. */
void store_settings_changed(struct store *st, const char *settings_json);
size_t store_batch_limit(const struct store *st); /* bytes that certainly fit into a segment */
struct store_figures *store_figures(struct store *st);
