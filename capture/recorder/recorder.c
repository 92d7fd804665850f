#define LOG_MODULE "recorder"

#include "capture/recorder/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/thread_sched.h"
#include "capture/recorder/encoder.h"
#include "capture/recorder/manifest_cache.h"
#include "capture/marker.h"
#include "capture/privacy_filter.h"
#include "capture/recorder/queue.h"
#include "capture/recorder/store.h"
#include "capture/recorder/batch_writer.h"

/* Callers that can wait never fill it: recorder_wait_for_room(). */
#define QUEUE_LIMIT ((size_t)128 << 20)
#define PIECE_SIZE ((size_t)256 << 10) /* bytes of a piece made by recorder_put() */
#define BATCH_BYTES (16u << 20)
#define BATCH_ROWS 256u
#define BATCH_ITEMS 4096u
#define ENCODERS_LIMIT (PRIORITY_THREADS_LIMIT - 1u) /* the writer takes one of these threads */
#define PIECES_LIMIT (1u << (32 - PART_PIECE_SHIFT))
#define PIECE_BYTES_LIMIT ((size_t)(PART_STORED_LIMIT - RECORD_ENVELOPE_SIZE) << PART_PIECE_SHIFT)

struct encoder_thread {
	struct recorder *recorder;
	unsigned number;
	pthread_t thread;
};

struct recorder {
	struct marker marker;
	bool drops_empty;
	struct id run;
	struct budget *budget;
	char *dir, *settings_json;
	struct queue *queue;
	struct leg_table legs;
	struct pending_bodies held;
	struct privacy_filter filter;
	struct losses losses;
	struct batch_writer writer;
	struct manifest_cache *manifests;
	void (*on_read)(void *arg, const struct leg_row *row);
	void *on_read_arg;
	atomic_uint_fast64_t bytes_in;
	pthread_t writer_thread;
	struct priority priority;
	unsigned n_encoders;
	struct encoder_thread encoders[];
};

static void *run_encoder(void *arg)
{
	struct encoder_thread *e = arg;
	struct priority *priority = &e->recorder->priority;
	struct queue *q = e->recorder->queue;
	struct item *i;
	priority_join(priority, e->number);
	while ((i = queue_next_to_encode(q, e->number))) {
		bool under_pressure = queue_is_under_pressure(q);
		priority_begin_work(priority, e->number);
		encoder_encode(i, under_pressure, &e->recorder->filter);
		priority_end_work(priority, e->number);
		encoder_release(i);
		if (i->kind == ITEM_LEG && e->recorder->on_read) {
			e->recorder->on_read(e->recorder->on_read_arg, i->leg_row);
		}
		queue_encoded(q, i, item_size(i));
		/* In idle mode the thread also stays idle between two wake-ups, as long as
		 * records are not late. */
		if (priority->scheduling != SCHEDULING_IDLE && queue_has_time(q)) {
			thread_sched_yield();
		}
	}
	return NULL;
}

/* NULL: there will be no more. */
static struct item *next_batch(struct recorder *r)
{
	struct store *st = r->writer.store;
	size_t max_bytes = MIN(BATCH_BYTES, store_batch_limit(st));
	while (store_tick(st) && !queue_wait_ready(r->queue, STORE_TICK_NS)) {
	}
	return queue_next_batch(r->queue, max_bytes, BATCH_ROWS, BATCH_ITEMS);
}

static void *run_writer(void *arg)
{
	struct recorder *r = arg;
	priority_join(&r->priority, r->n_encoders);
	struct item *batch;
	while ((batch = next_batch(r))) {
		size_t bytes = 0;
		for (const struct item *i = batch; i; i = i->next) {
			bytes += i->bytes;
		}
		batch_writer_write(&r->writer, batch);
		queue_release(r->queue, bytes);
	}
	/* The last segment is sealed in this thread too: sealing waits for the disk as a commit
	 * does. */
	store_destroy(r->writer.store);
	queue_writer_ended(r->queue);
	return NULL;
}

/* The event loops handle signals. A thread that is about to write must not receive one. */
static void start_thread(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int r = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	expect(r == 0);
}

static int open_store(struct recorder *r, const struct recorder_settings *s, char **ret_error)
{
	int code = marker_make(s->path, s->hash_key, &r->marker, ret_error);
	if (code < 0) {
		return code;
	}
	struct store_settings settings = {
	        .dir = r->dir,
	        .segment_size = s->segment_size,
	        .max_size = s->max_size,
	        .retain = s->retain,
	        .drop_oldest = s->drop_oldest,
	        .durable = s->durable,
	        .run = r->run,
	        .hash_key = r->marker.hash_key,
	        .settings_json = r->settings_json,
	        .manifests = r->manifests,
	};
	code = store_create(&settings, &r->writer.store);
	if (code < 0) {
		if (r->marker.is_new) {
			marker_drop(r->dir);
		}
		*ret_error = xasprintf("%s: no segment can be made: %s", s->path, strerror(-code));
	}
	return code;
}

static void free_recorder(struct recorder *r)
{
	manifest_cache_destroy(r->manifests);
	free(r->dir);
	free(r->settings_json);
	free(r);
}

static void on_lag(void *arg, bool lags)
{
	struct recorder *r = arg;
	priority_boost(&r->priority, lags);
}

struct recorder *recorder_create(const struct recorder_settings *s, char **ret_error)
{
	unsigned n = MIN(MAX(s->encoders, 1u), ENCODERS_LIMIT);
	struct recorder *r = xcalloc(1, sizeof(*r) + n * sizeof(r->encoders[0]));
	r->dir = xstrdup(s->path);
	r->drops_empty = s->drops_empty;
	r->settings_json = s->settings_json ? xstrdup(s->settings_json) : NULL;
	r->run = id_make();
	r->budget = s->budget;
	r->n_encoders = n;
	priority_init(&r->priority, s->scheduling);
	r->manifests = manifest_cache_create();
	r->on_read = s->on_read;
	r->on_read_arg = s->on_read_arg;
	if (open_store(r, s, ret_error) < 0) {
		free_recorder(r);
		return NULL;
	}
	r->queue = queue_create(&(struct queue_settings){
	        .encoders = n,
	        .limit = s->queue_limit ? s->queue_limit : QUEUE_LIMIT,
	        .on_lag = on_lag,
	        .arg = r,
	});
	leg_table_init(&r->legs);
	pending_bodies_init(&r->held);
	privacy_filter_init(&r->filter, s->content ? s->content : CONTENT_FULL, s->redact,
	        r->marker.hash_key, s->budget);
	losses_init(&r->losses);
	batch_writer_init(&r->writer, &r->losses, &r->priority, n);
	for (unsigned i = 0; i < n; i++) {
		r->encoders[i] = (struct encoder_thread){.recorder = r, .number = i};
		start_thread(&r->encoders[i].thread, run_encoder, &r->encoders[i]);
	}
	start_thread(&r->writer_thread, run_writer, r);
	return r;
}

const uint8_t *recorder_hash_key(const struct recorder *r)
{
	return r->marker.hash_key;
}

struct id recorder_run(const struct recorder *r)
{
	return r->run;
}

static bool push_part(struct recorder *r, struct item *i)
{
	if (i->leg && i->type == PART_RESPONSE_BODY && leg_reader_body_closed(i->leg)) {
		return false;
	}
	if (queue_push(r->queue, i) < 0) {
		if (i->leg && i->type == PART_RESPONSE_BODY) {
			leg_reader_close_body(i->leg);
		}
		return false;
	}
	return true;
}

bool recorder_part(
        struct recorder *r, struct id owner, enum part_type type, uint32_t n, struct chunks *pieces)
{
	struct chunks taken = *pieces;
	*pieces = (struct chunks){0};
	if (taken.bytes > PIECE_BYTES_LIMIT || n >= PIECES_LIMIT) {
		chunks_finish(&taken);
		return false;
	}
	struct item *i = item_create(ITEM_PART, owner);
	size_t bytes = taken.bytes;
	i->type = type;
	i->n = n;
	i->pieces = taken;
	i->budget = r->budget;
	i->bytes = item_size(i);
	if (type >= PART_RESPONSE_HEAD) {
		i->leg = leg_table_find(&r->legs, owner);
	}
	bool body = type == PART_REQUEST_BODY || type == PART_RESPONSE_BODY;
	if (body && r->filter.content == CONTENT_REDACTED) {
		i->held = pending_bodies_get(&r->held, owner);
	}
	if (!push_part(r, i)) {
		item_destroy(i);
		return false;
	}
	r->bytes_in += bytes;
	return true;
}

void recorder_leg_begin(
        struct recorder *r, struct id leg, const struct reading_hints *hints, const char *coding)
{
	leg_table_add(&r->legs, leg_reader_create(leg, hints, coding, r->budget));
}

static void push_row(struct recorder *r, struct item *i, struct ledger_book *book)
{
	i->bytes = item_size(i);
	if (book) {
		i->has_ticket = true;
		ledger_pending(book, &i->ticket);
	}
	int code = queue_push(r->queue, i);
	if (code < 0) {
		batch_writer_drop(&r->losses, i, code == -ESHUTDOWN ? DROP_STOPPED : DROP_MEMORY);
	}
}

void recorder_leg(struct recorder *r, struct leg_row *row, bool read, struct ledger_book *book)
{
	struct item *i = item_create(ITEM_LEG, row->id);
	i->leg = leg_table_remove(&r->legs, row->id);
	i->held = pending_bodies_remove(&r->held, row->id);
	i->leg_row = pool_alloc(sizeof(*row));
	*i->leg_row = *row;
	i->read = read;
	i->budget = r->budget;
	*row = (struct leg_row){0};
	push_row(r, i, book);
}

void recorder_exchange(struct recorder *r, struct exchange_row *row, struct ledger_book *book)
{
	struct item *i = item_create(ITEM_EXCHANGE, row->id);
	i->held = pending_bodies_remove(&r->held, row->id);
	i->budget = r->budget;
	i->exchange_row = pool_alloc(sizeof(*row));
	*i->exchange_row = *row;
	*row = (struct exchange_row){0};
	push_row(r, i, book);
}

void recorder_manifest(struct recorder *r, const struct manifest_row *row)
{
	manifest_cache_put(r->manifests, row);
	struct item *i = item_create(ITEM_MANIFEST, row->id);
	i->bytes = item_size(i);
	if (queue_push(r->queue, i) < 0) {
		/* The manifest comes with the next batch. */
		item_destroy(i);
	}
}

void recorder_settings_changed(struct recorder *r, const char *settings_json)
{
	store_settings_changed(r->writer.store, settings_json);
}

void recorder_figures(struct recorder *r, struct recorder_figures *ret)
{
	struct store_figures *st = store_figures(r->writer.store);
	struct batch_writer_figures *w = &r->writer.figures;
	*ret = (struct recorder_figures){
	        .rows = w->rows,
	        .parts = w->parts,
	        .bytes_in = r->bytes_in,
	        .bytes_stored = w->bytes_stored,
	        .commits = st->commits,
	        .errors = st->errors,
	        .segments = st->segments,
	        .deleted = st->deleted,
	        .unread = w->unread,
	        .truncated = w->truncated,
	        .queued_bytes = queue_bytes(r->queue),
	        .queued_items = queue_items(r->queue),
	        .capture_bytes = st->bytes,
	        .failing = st->failing,
	        .commit = &st->commit,
	        .content = r->filter.content,
	};
	privacy_filter_counts(&r->filter, &ret->redacted);
}

void recorder_wait_for_room(struct recorder *r)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	struct recorder_figures f;
	recorder_figures(r, &f);
	while (f.queued_bytes > RECORDER_ROOM && !f.failing) {
		nanosleep(&pause, NULL);
		recorder_figures(r, &f);
	}
}

uint32_t recorder_put(struct recorder *r, struct id owner, enum part_type type, struct span data,
        bool waits, bool *ret_whole)
{
	uint32_t n = 0;
	*ret_whole = true;
	for (size_t at = 0; *ret_whole && at < data.len; at += PIECE_SIZE) {
		struct chunks pieces = {0};
		if (waits) {
			recorder_wait_for_room(r);
		}
		size_t len = MIN(PIECE_SIZE, data.len - at);
		struct chunk *c = waits ? chunk_make(NULL, data.data + at, len)
		                        : chunk_try_make(r->budget, data.data + at, len);
		if (c) {
			chunks_push(&pieces, c);
		}
		*ret_whole = c && recorder_part(r, owner, type, n, &pieces);
		n += *ret_whole;
	}
	return n;
}

void recorder_stop(struct recorder *r, uint64_t timeout_ns)
{
	queue_stop(r->queue);
	bool ended = queue_join_writer(r->queue, timeout_ns);
	for (unsigned i = 0; i < r->n_encoders; i++) {
		pthread_join(r->encoders[i].thread, NULL);
	}
	ended = ended || queue_join_writer(r->queue, RECORDER_STOP_GRACE_NS);
	struct item *rest = queue_rest(r->queue);
	if (rest) {
		log_warn("The recorder stopped before it had written everything; {bytes} bytes are "
		         "lost.",
		        log_field("bytes", queue_bytes(r->queue)));
	}
	batch_writer_drop(&r->losses, rest, DROP_STOPPED);
	if (!ended) {
		/* The blocked thread keeps its data until the process ends. */
		bool idle = r->priority.scheduling == SCHEDULING_IDLE;
		log_error("The recorder could not finish its last commit. That commit is lost, and "
		          "its segment stays unsealed: {error}.",
		        log_field(
		                "error", idle ? "the disk does not answer, or the recorder got no "
		                                "processor time (capture.scheduling: idle)"
		                              : "the disk does not answer"));
		batch_writer_abandon(&r->writer, DROP_STOPPED);
		pthread_detach(r->writer_thread);
		return;
	}
	pthread_join(r->writer_thread, NULL);
	batch_writer_finish(&r->writer);
	queue_destroy(r->queue);
	leg_table_finish(&r->legs);
	pending_bodies_finish(&r->held);
	privacy_filter_finish(&r->filter);
	losses_finish(&r->losses);
	if (r->drops_empty && r->marker.is_new) {
		marker_drop(r->dir);
	}
	free_recorder(r);
}
