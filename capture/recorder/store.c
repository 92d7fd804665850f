#define LOG_MODULE "store"

#include "capture/recorder/store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/marker.h"
#include "capture/retention.h"
#include "capture/derived_rows.h"

#define FIRST_RETRY_NS (1 * SECOND_NS)
#define RETRY_NS (5 * SECOND_NS)
#define TICK_NS (10 * SECOND_NS)
#define MEASURE_NS (1 * SECOND_NS)
/* The minimum for nine tables, their roots and meta pages. */
#define SEGMENT_MIN (512u << 10)
/* Space for the values plus tree pages and unused page ends. */
#define OVERHEAD(bytes) ((bytes) + (bytes) / 4 + (64u << 10))

struct store {
	struct store_settings settings;
	uint64_t segment_size;
	struct segment_writer *segment; /* NULL while failing */
	bool has_batches;               /* whether the open segment has batches */
	uint64_t number;                /* of the next commit row */
	uint64_t manifests_stored;      /* manifests up to this number are in the segment */
	uint64_t failed_at;             /* when writing began to fail */
	uint64_t retry_at;
	int failed_with;   /* the error that makes data be lost now; 0: none */
	uint64_t begun_at; /* when the open segment was begun */
	uint64_t ticked_at;
	bool full;            /* max_size was reached */
	uint64_t other_bytes; /* bytes of the capture's other segments, when last measured */
	uint64_t measured_at;
	pthread_t sealer;
	bool sealing;
	_Atomic(char *) new_settings; /* settings for the next segment; NULL: they are the same */
	char *settings_json;          /* the settings in force */
	struct store_figures figures;
};

static int put_meta(struct store *st, struct segment_writer *w)
{
	char host[256] = "";
	(void)gethostname(host, sizeof(host) - 1);
	struct meta_row row = {
	        .run = st->settings.run,
	        .host = host,
	        .pid = (uint64_t)getpid(),
	        .settings = (char *)st->settings.settings_json,
	};
	memcpy(row.hash_key, st->settings.hash_key, sizeof(row.hash_key));
	int r = segment_begin(w);
	if (r < 0) {
		return r;
	}
	r = derived_rows_put_meta(w, &row);
	if (r < 0) {
		segment_abort(w);
		return r;
	}
	return segment_commit(w);
}

static int open_segment(struct store *st)
{
	struct segment_writer *w;
	int r = segment_create(st->settings.dir, st->segment_size, st->settings.durable, &w);
	if (r < 0) {
		return r;
	}
	r = put_meta(st, w);
	if (r < 0) {
		segment_discard(w);
		return r;
	}
	st->segment = w;
	st->begun_at = clock_mono();
	st->has_batches = false;
	st->number = 1;
	st->manifests_stored = 0;
	st->measured_at = 0;
	st->figures.segments++;
	return 0;
}

static void *seal(void *segment)
{
	int r = segment_seal(segment);
	if (r < 0) {
		log_warn("A segment could not be sealed: {error}.",
		        log_field("error", strerror(-r)));
	}
	return NULL;
}

static void wait_for_sealer(struct store *st)
{
	if (st->sealing) {
		pthread_join(st->sealer, NULL);
		st->sealing = false;
	}
}

/* Ends a segment that is intact, so that it can be sealed. */
static void end_segment(struct store *st)
{
	wait_for_sealer(st);
	st->sealing = pthread_create(&st->sealer, NULL, seal, st->segment) == 0;
	if (!st->sealing) {
		seal(st->segment);
	}
	st->segment = NULL;
}

/* Abandons the segment after an error. Its commits remain. It is not sealed, since its last
 * pages may not be on disk. */
static void abandon_segment(struct store *st, int error)
{
	if (!st->has_batches) {
		segment_discard(st->segment);
		st->figures.segments--;
	} else if (error == -ENOSPC) {
		end_segment(st);
		return;
	} else {
		segment_writer_destroy(st->segment);
	}
	st->segment = NULL;
}

static int put_manifest(void *arg, struct span key, struct span value)
{
	return segment_put(arg, TABLE_META, key, value);
}

static int attempt(struct store *st, store_fill_fn fill, void *arg)
{
	uint64_t number = st->number, manifests_stored = st->manifests_stored;
	int r = segment_begin(st->segment);
	if (r < 0) {
		return r;
	}
	/* Manifests are written in the same transaction as the rows that may name them, or
	 * earlier. */
	if (st->settings.manifests) {
		r = manifest_cache_since(
		        st->settings.manifests, &manifests_stored, put_manifest, st->segment);
	}
	if (r == 0) {
		r = fill(arg, st->segment, &number);
	}
	if (r < 0) {
		segment_abort(st->segment);
		return r;
	}
	uint64_t since = clock_mono();
	r = segment_commit(st->segment);
	if (r == 0) {
		buckets_add(&st->figures.commit, (clock_mono() - since) / 1000);
		st->number = number;
		st->manifests_stored = manifests_stored;
		st->has_batches = true;
		st->figures.commits++;
	}
	return r;
}

static uint64_t total_size(struct store *st)
{
	uint64_t bytes = st->other_bytes + (st->segment ? segment_used(st->segment) : 0);
	st->figures.bytes = bytes;
	return bytes;
}

static void measure_size(struct store *st)
{
	struct id own = {{0}};
	if (st->segment) {
		own = segment_writer_id(st->segment);
	}
	st->other_bytes = retention_size(st->settings.dir, own);
	st->measured_at = clock_mono();
}

/* Deletes old segments until there is room. If only the open segment is left, it is ended first
 * so that it can be deleted. */
static bool drop_until(struct store *st, uint64_t bytes)
{
	while (total_size(st) + bytes > st->settings.max_size) {
		uint64_t freed;
		if (retention_drop_oldest(st->settings.dir, &freed)) {
			st->figures.deleted++;
			measure_size(st);
			continue;
		}
		if (st->segment && st->has_batches) {
			end_segment(st);
		}
		if (!st->sealing) {
			return false;
		}
		wait_for_sealer(st);
		measure_size(st);
	}
	return true;
}

static bool fits(struct store *st, uint64_t bytes)
{
	if (clock_mono() - st->measured_at > MEASURE_NS) {
		measure_size(st);
	}
	uint64_t limit = st->settings.max_size;
	uint64_t now = total_size(st);
	if (!limit || now + bytes <= limit) {
		return true;
	}
	measure_size(st);
	return total_size(st) + bytes <= limit;
}

/* A full capture stays full until there is room for more than the next row. Otherwise it would
 * record parts of exchanges. */
static bool make_room(struct store *st, uint64_t bytes)
{
	uint64_t wanted = bytes + (st->full ? st->settings.max_size / 16 : 0);
	bool room = fits(st, wanted) || (st->settings.drop_oldest && drop_until(st, wanted));
	if (room && st->full) {
		log_info("The capture {path} has room again.", log_field("path", st->settings.dir));
	} else if (!room && !st->full) {
		log_warn("The capture {path} is full, so nothing is recorded; capture.max_size is "
		         "{max_size} bytes.",
		        log_field("path", st->settings.dir),
		        log_field("max_size", st->settings.max_size));
	}
	st->full = !room;
	return room;
}

static int failed(struct store *st, int r, const char *why)
{
	uint64_t pause = st->figures.failing ? RETRY_NS : FIRST_RETRY_NS;
	if (st->segment) {
		abandon_segment(st, r);
	}
	st->retry_at = clock_mono() + pause;
	st->failed_at = st->figures.failing ? st->failed_at : clock_mono();
	st->failed_with = r;
	st->figures.failing = true;
	st->figures.errors++;
	log_error(
	        "The capture {path} cannot be written: {error}. Nothing is recorded until it can.",
	        log_field("path", st->settings.dir), log_field("error", why));
	return r;
}

static bool is_gone(const struct store *st)
{
	return st->segment ? !segment_in_place(st->segment) : !marker_exists(st->settings.dir);
}

static int begin_anew(struct store *st)
{
	struct marker marker;
	char *error = NULL;
	/* The segment is not sealed: the file that now has its name may belong to another
	 * process. */
	segment_writer_destroy(st->segment);
	st->segment = NULL;
	int r = marker_make(st->settings.dir, st->settings.hash_key, &marker, &error);
	if (r == 0 &&
	        memcmp(marker.hash_key, st->settings.hash_key, sizeof(marker.hash_key)) != 0) {
		r = -EEXIST;
		error = xasprintf("%s was replaced by another capture, with another hash key",
		        st->settings.dir);
	}
	if (r < 0) {
		r = failed(st, r, error);
		free(error);
		return r;
	}
	st->figures.errors++;
	log_warn("The capture {path}, or its open segment, was deleted or moved away. Recording "
	         "continues in a new segment.",
	        log_field("path", st->settings.dir));
	return STORE_ANEW;
}

void store_settings_changed(struct store *st, const char *settings_json)
{
	free(atomic_exchange(&st->new_settings, xstrdup(settings_json)));
}

/* Each segment stores the settings under which all of it was recorded. */
static void apply_settings(struct store *st)
{
	char *new_settings = atomic_exchange(&st->new_settings, NULL);
	if (!new_settings) {
		return;
	}
	free(st->settings_json);
	st->settings_json = new_settings;
	st->settings.settings_json = new_settings;
	if (st->segment && st->has_batches) {
		end_segment(st);
	} else if (st->segment) {
		segment_discard(st->segment);
		st->segment = NULL;
		st->figures.segments--;
	}
}

int store_write(struct store *st, size_t bytes, store_fill_fn fill, void *arg)
{
	if (!st->segment && st->figures.failing && clock_mono() < st->retry_at) {
		return st->failed_with;
	}
	if (is_gone(st)) {
		return begin_anew(st);
	}
	bool is_new = false;
	int r = 0;
	apply_settings(st);
	if (st->settings.manifests) {
		bytes += manifest_cache_bytes(
		        st->settings.manifests, st->segment ? st->manifests_stored : 0);
	}
	if (!make_room(st, OVERHEAD(bytes))) {
		return -EDQUOT;
	}
	if (st->segment && st->has_batches &&
	        segment_used(st->segment) + OVERHEAD(bytes) > st->segment_size) {
		end_segment(st);
	}
	if (!st->segment) {
		r = open_segment(st);
		is_new = true;
	}
	if (r == 0) {
		r = attempt(st, fill, arg);
	}
	if (r < 0 && !is_new) {
		st->figures.errors += r != -ENOSPC;
		abandon_segment(st, r);
		r = open_segment(st);
		if (r == 0) {
			r = attempt(st, fill, arg);
		}
	}
	if (r < 0) {
		return failed(st, r, strerror(-r));
	}
	if (st->figures.failing) {
		log_info("The capture {path} can be written again after {seconds} s.",
		        log_field("path", st->settings.dir),
		        log_field("seconds", (clock_mono() - st->failed_at) / SECOND_NS));
		st->figures.failing = false;
	}
	return 0;
}

/* Ends old segments in time, so that no record is kept longer than 9/8 of retain plus a moment. */
bool store_tick(struct store *st)
{
	uint64_t retain = st->settings.retain;
	if (!retain) {
		return false;
	}
	uint64_t now = clock_mono(), wall = clock_wall();
	if (now - st->ticked_at < MIN(retain / 8, TICK_NS)) {
		return true;
	}
	st->ticked_at = now;
	if (st->segment && st->has_batches && now - st->begun_at > retain / 8 && !is_gone(st)) {
		end_segment(st);
	}
	size_t dropped = wall > retain ? retention_drop_before(st->settings.dir, wall - retain) : 0;
	if (dropped) {
		st->figures.deleted += dropped;
		measure_size(st);
		total_size(st);
	}
	return true;
}

size_t store_batch_limit(const struct store *st)
{
	return st->segment_size / 4;
}

struct store_figures *store_figures(struct store *st)
{
	return &st->figures;
}

int store_create(const struct store_settings *s, struct store **ret)
{
	struct store *st = xcalloc(1, sizeof(*st));
	st->settings = *s;
	st->figures.commit.bounds = &BOUNDS_COMMIT;
	st->segment_size = s->segment_size ? s->segment_size : SEGMENT_SIZE;
	if (s->max_size) {
		/* Only whole segments are deleted to make room, so several must fit. */
		st->segment_size = MIN(st->segment_size, s->max_size / 4);
	}
	st->segment_size = MAX(st->segment_size, (uint64_t)SEGMENT_MIN) & ~(uint64_t)4095;
	int r = open_segment(st);
	if (r < 0) {
		free(st);
		return r;
	}
	measure_size(st);
	total_size(st);
	*ret = st;
	return 0;
}

void store_destroy(struct store *st)
{
	if (!st) {
		return;
	}
	wait_for_sealer(st);
	if (st->segment && is_gone(st)) {
		segment_writer_destroy(st->segment);
	} else if (st->segment && !st->has_batches) {
		segment_discard(st->segment);
	} else if (st->segment) {
		seal(st->segment);
	}
	free(atomic_load(&st->new_settings));
	free(st->settings_json);
	free(st);
}
