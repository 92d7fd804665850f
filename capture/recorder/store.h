#pragma once
/*
 * store - writes batches of rows to the current segment, begins the next segment when the current
 * one is full or fails, and deletes old segments to make room.
 *
 * After an error of the disk or the map, the store tries the batch once more in a new segment; if
 * that fails too, the batch is lost. If there are batches to write, it then tries a new segment
 * after 1 s, later every 5 s. If the directory was deleted, emptied or moved, the store notices it
 * before the next batch and creates the directory again. Writer thread only, except for the
 * figures. Sealing reads the whole segment, so the store starts a thread for it.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buckets.h"
#include "base/id.h"
#include "capture/segment.h"
#include "capture/recorder/manifest_cache.h"

struct store_settings {
	const char *dir;
	uint64_t segment_size; /* 0: SEGMENT_SIZE */
	uint64_t max_size;     /* 0: no limit */
	bool drop_oldest;
	uint64_t retain; /* ns; segments last written longer ago are deleted; 0: never */
	bool durable;
	struct id run;
	const uint8_t *hash_key;
	const char *settings_json;        /* may be NULL */
	struct manifest_cache *manifests; /* written into each segment; may be NULL */
};

/* Sums since store_create(), except bytes: that of the capture. Any thread may read them. */
struct store_figures {
	atomic_uint_fast64_t commits, errors, segments, deleted, bytes;
	atomic_bool failing;
	struct buckets commit; /* durations of commits, µs */
};

struct store;

/* Begins the first segment; dir must be a capture (marker.h). Returns 0 or a negative errno. What
 * the settings point to must outlive the store. */
int store_create(const struct store_settings *s, struct store **ret) MUST_CHECK;
/* Seals the segment, or removes it if nothing was written to it. NULL is fine. */
void store_destroy(struct store *st);

/*
 * Writes the batch's rows into the open transaction of a segment, and advances *number, the next
 * commit number (segment.h). Returns 0 or a negative errno. After an error the store may call it
 * again with a new segment; it must then write all rows again.
 */
typedef int (*store_fill_fn)(void *arg, struct segment_writer *w, uint64_t *number);

/*
 * bytes: about how many bytes `fill` writes. Returns 0; -EDQUOT: max_size is reached; another
 * negative errno: an error of the disk or the map; or STORE_ANEW: the directory or the open segment
 * was deleted or moved, the store made the directory a capture again, and nothing of the batch was
 * written: call again.
 */
#define STORE_ANEW 1
int store_write(struct store *st, size_t bytes, store_fill_fn fill, void *arg) MUST_CHECK;
/*
 * Does the work that depends on time: if `retain` is set, it ends a segment after an eighth of that
 * time, and deletes old segments. The writer thread calls it after each batch, and every
 * STORE_TICK_NS while it waits. False: no such work is configured.
 */
#define STORE_TICK_NS (1 * UINT64_C(1000000000))
bool store_tick(struct store *st) MUST_CHECK;
/* Copies changed settings: the next batch begins a segment whose meta row has them. Any thread. */
void store_settings_changed(struct store *st, const char *settings_json);
size_t store_batch_limit(const struct store *st); /* bytes that always fit into a segment */
struct store_figures *store_figures(struct store *st);
