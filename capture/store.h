#pragma once
/*
 * store - where batches go: the segment that is open, the next one when it is full or has failed,
 * and room for both.
 *
 * After a failure of disk or map a batch is tried once more in a new segment; then it is given up,
 * and a new segment is tried 1 s later and from then on every 5 s, whenever there is a batch to
 * write. A directory that was deleted, emptied or moved away while the store writes there is noticed
 * before the next batch, and made again. The writer thread alone, but for the figures. Sealing a segment reads all of it and is
 * done beside, by a thread of its own.
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
	uint64_t retain; /* ns; segments that nobody wrote into for so long are deleted; 0: never */
	bool durable;
	struct id run;
	const uint8_t *hash_key;
	const char *settings_json;        /* may be NULL */
	struct manifest_cache *manifests; /* written into each segment; may be NULL */
};

struct store_figures {
	atomic_uint_fast64_t commits, errors, segments, deleted, bytes;
	atomic_bool failing;
	struct buckets commit; /* how long the commit of a batch took */
};

struct store;

/* The settings' memory must outlive the store. Opens the first segment; a negative errno when that
 * fails. */
int store_create(const struct store_settings *s, struct store **ret) MUST_CHECK;
void store_destroy(struct store *st); /* seals; NULL is fine */

/*
 * Writes the batch's rows into the open transaction of a segment; called again from the start when
 * the segment had to be changed. *number: the commit number to use next.
 */
typedef int (*store_fill_fn)(void *arg, struct segment_writer *w, uint64_t *number);

/*
 * bytes: what fill will put, about. 0; -EDQUOT: max_size is reached; another negative one: disk or map. STORE_ANEW: nothing of
 * the batch was written, and all that was before it is gone with the directory, which has been made again: call again.
 */
#define STORE_ANEW 1
int store_write(struct store *st, size_t bytes, store_fill_fn fill, void *arg) MUST_CHECK;
/*
 * What time alone brings about, at most now and then: with retain, a segment ends after an eighth of it at
 * the latest, and what is old enough is deleted. For the writer thread, after each batch and while it
 * waits, every STORE_TICK_NS. False: time brings nothing about, and need not be waited for.
 */
#define STORE_TICK_NS (1 * UINT64_C(1000000000))
bool store_tick(struct store *st) MUST_CHECK;
/* The settings are others from now on: the next batch begins a new segment, whose meta has these. Any thread. */
void store_settings_changed(struct store *st, const char *settings_json);
size_t store_batch_limit(const struct store *st); /* bytes that surely fit a segment */
struct store_figures *store_figures(struct store *st);
