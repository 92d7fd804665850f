#include "capture/recorder/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/pool.h"

struct item *item_create(enum item_kind kind, struct id owner)
{
	struct item *i = pool_alloc_zeroed(sizeof(*i));
	i->kind = kind;
	i->owner = owner;
	return i;
}

void item_destroy(struct item *i)
{
	expect(!i->ticket.next);
	chunks_finish(&i->pieces);
	leg_reader_unref(i->leg);
	if (i->budget) {
		budget_give(i->budget, i->values.len + i->body.len);
	}
	pending_body_unref(i->held);
	buf_finish(&i->values);
	buf_finish(&i->body);
	leg_row_finish(i->leg_row);
	pool_free(i->leg_row, sizeof(*i->leg_row));
	exchange_row_finish(i->exchange_row);
	pool_free(i->exchange_row, sizeof(*i->exchange_row));
	pool_free(i, sizeof(*i));
}

static size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

size_t item_size(const struct item *i)
{
	/* Overhead of malloc and of a row's strings. Only bodies and edits are large enough to
	 * be counted exactly. */
	size_t bytes = sizeof(*i) + i->pieces.bytes + i->values.len + i->body.len;
	if (i->exchange_row) {
		bytes += sizeof(*i->exchange_row) + length(i->exchange_row->target) + 128;
	}
	if (i->leg_row) {
		const struct leg_row *row = i->leg_row;
		bytes += sizeof(*row) + length(row->url) + length(row->error) + 256;
		for (size_t k = 0; k < row->n_edits; k++) {
			bytes += sizeof(row->edits[k]) + row->edits[k].inserted.len;
		}
	}
	return bytes;
}

/* How long an idle encoder waits for more items after the first. */
#define GATHER_NS (5 * UINT64_C(1000000))

struct lane { /* of one encoder */
	struct item *first, **last;
	pthread_cond_t wake;
	bool waiting;
	bool gathering; /* waiting for more items */
};

struct queue {
	pthread_mutex_t lock;
	struct item *first, **last;
	size_t bytes, items, limit;
	bool lags;
	void (*on_lag)(void *arg, bool lags);
	void *on_lag_arg;
	bool stopping;  /* no more pushes */
	bool abandoned; /* no more work */
	bool writer_done;
	bool writer_waiting;
	pthread_cond_t front_ready;
	pthread_cond_t done;
	unsigned n_lanes;
	struct lane lanes[];
};

struct queue *queue_create(const struct queue_settings *s)
{
	expect(s->encoders > 0);
	struct queue *q = xcalloc(1, sizeof(*q) + s->encoders * sizeof(q->lanes[0]));
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->front_ready, &monotonic);
	pthread_cond_init(&q->done, &monotonic);
	q->last = &q->first;
	q->limit = s->limit;
	q->on_lag = s->on_lag;
	q->on_lag_arg = s->arg;
	q->n_lanes = s->encoders;
	for (unsigned i = 0; i < s->encoders; i++) {
		q->lanes[i].last = &q->lanes[i].first;
		pthread_cond_init(&q->lanes[i].wake, &monotonic);
	}
	pthread_condattr_destroy(&monotonic);
	return q;
}

void queue_destroy(struct queue *q)
{
	expect(!q->first);
	for (unsigned i = 0; i < q->n_lanes; i++) {
		pthread_cond_destroy(&q->lanes[i].wake);
	}
	pthread_cond_destroy(&q->done);
	pthread_cond_destroy(&q->front_ready);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* Rows are small, and they are the record that an exchange took place: they still get room when
 * parts no longer do. */
static bool has_room(const struct queue *q, const struct item *i)
{
	size_t limit = i->kind == ITEM_PART ? q->limit : q->limit + q->limit / 4;
	return q->bytes <= limit && i->bytes <= limit - q->bytes;
}

/* Called after each change, with the lock held. */
static void update_lag(struct queue *q)
{
	bool full = q->bytes > q->limit / (q->lags ? 8 : 4);
	bool late = q->first && clock_mono() - q->first->pushed_at > QUEUE_LATE_NS;
	bool lags = full || late || q->stopping;
	if (lags != q->lags) {
		q->lags = lags;
		if (q->on_lag) {
			q->on_lag(q->on_lag_arg, lags);
		}
	}
}

/* Whether the queue is so full that gathering should end. */
static bool is_filling(const struct queue *q)
{
	return q->stopping || q->abandoned || q->bytes > q->limit / 8;
}

int queue_push(struct queue *q, struct item *i)
{
	int r = 0;
	pthread_mutex_lock(&q->lock);
	if (q->stopping) {
		r = -ESHUTDOWN;
	} else if (!has_room(q, i)) {
		r = -ENOBUFS;
	} else {
		struct lane *lane = &q->lanes[i->owner.bytes[15] % q->n_lanes];
		*q->last = i;
		q->last = &i->next;
		*lane->last = i;
		lane->last = &i->next_to_encode;
		q->bytes += i->bytes;
		q->items++;
		i->pushed_at = clock_mono();
		update_lag(q);
		if (lane->waiting || (lane->gathering && is_filling(q))) {
			pthread_cond_signal(&lane->wake);
		}
	}
	pthread_mutex_unlock(&q->lock);
	return r;
}

bool queue_is_under_pressure(struct queue *q)
{
	return queue_bytes(q) > q->limit / 2;
}

bool queue_has_time(struct queue *q)
{
	return queue_bytes(q) < q->limit / 64;
}

size_t queue_bytes(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	size_t bytes = q->bytes;
	pthread_mutex_unlock(&q->lock);
	return bytes;
}

size_t queue_items(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	size_t items = q->items;
	pthread_mutex_unlock(&q->lock);
	return items;
}

static struct timespec deadline(uint64_t wait_ns)
{
	const uint64_t second = 1000000000;
	uint64_t now = clock_mono();
	uint64_t end = wait_ns > UINT64_MAX / 2 - now ? UINT64_MAX / 2 : now + wait_ns;
	return (struct timespec){.tv_sec = (time_t)(end / second), .tv_nsec = (long)(end % second)};
}

/*
 * Waits briefly for more items, since related ones come within moments. Taking the first at once
 * would cost the event loops a wake-up for each piece, and the disk a commit.
 */
static void gather(struct queue *q, struct lane *lane)
{
	struct timespec until = deadline(GATHER_NS);
	int r = 0;
	lane->gathering = true;
	while (r != ETIMEDOUT && !is_filling(q)) {
		r = pthread_cond_timedwait(&lane->wake, &q->lock, &until);
	}
	lane->gathering = false;
}

struct item *queue_next_to_encode(struct queue *q, unsigned encoder)
{
	struct lane *lane = &q->lanes[encoder];
	pthread_mutex_lock(&q->lock);
	while (!lane->first && !q->stopping && !q->abandoned) {
		lane->waiting = true;
		pthread_cond_wait(&lane->wake, &q->lock);
		lane->waiting = false;
		gather(q, lane);
	}
	struct item *i = q->abandoned ? NULL : lane->first;
	if (i) {
		lane->first = i->next_to_encode;
		if (!lane->first) {
			lane->last = &lane->first;
		}
	}
	pthread_mutex_unlock(&q->lock);
	return i;
}

void queue_encoded(struct queue *q, struct item *i, size_t bytes)
{
	pthread_mutex_lock(&q->lock);
	q->bytes = q->bytes - i->bytes + bytes;
	i->bytes = bytes;
	i->ready = true;
	update_lag(q);
	if (q->first == i && q->writer_waiting) {
		pthread_cond_signal(&q->front_ready);
	}
	pthread_mutex_unlock(&q->lock);
}

/* Called with the lock held, when the front is ready. */
static struct item *take_ready(struct queue *q, size_t max_bytes, size_t max_rows, size_t max_items)
{
	struct item *batch = q->first, **end = &q->first;
	size_t bytes = 0, rows = 0, items = 0;
	while (*end && (*end)->ready && rows < max_rows && items < max_items) {
		if (items && bytes + (*end)->bytes > max_bytes) {
			break;
		}
		bytes += (*end)->bytes;
		rows += (*end)->kind != ITEM_PART;
		items++;
		end = &(*end)->next;
	}
	struct item *rest = *end;
	*end = NULL;
	q->first = rest;
	q->items -= items;
	if (!rest) {
		q->last = &q->first;
	}
	return batch;
}

/* Called with the lock held. */
static bool must_wait(const struct queue *q)
{
	return !q->abandoned && (q->first ? !q->first->ready : !q->stopping);
}

/* Called with the lock held. The writer is the only thread that never waits at idle priority: it
 * must notice a late item even if nothing else is pushed. */
static void wait_for_front(struct queue *q, uint64_t until_ns)
{
	uint64_t now = clock_mono();
	uint64_t wait = until_ns > now ? until_ns - now : 0;
	struct timespec until = deadline(q->on_lag ? MIN(wait, QUEUE_LATE_NS) : wait);
	q->writer_waiting = true;
	pthread_cond_timedwait(&q->front_ready, &q->lock, &until);
	q->writer_waiting = false;
	update_lag(q);
}

bool queue_wait_ready(struct queue *q, uint64_t timeout_ns)
{
	uint64_t until = clock_mono() + timeout_ns;
	pthread_mutex_lock(&q->lock);
	while (must_wait(q) && clock_mono() < until) {
		wait_for_front(q, until);
	}
	bool ready = !must_wait(q);
	pthread_mutex_unlock(&q->lock);
	return ready;
}

struct item *queue_next_batch(struct queue *q, size_t max_bytes, size_t max_rows, size_t max_items)
{
	struct item *batch = NULL;
	pthread_mutex_lock(&q->lock);
	while (must_wait(q)) {
		wait_for_front(q, UINT64_MAX);
	}
	if (q->first && !q->abandoned) {
		batch = take_ready(q, max_bytes, max_rows, max_items);
	}
	pthread_mutex_unlock(&q->lock);
	return batch;
}

void queue_writer_ended(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->writer_done = true;
	pthread_cond_signal(&q->done);
	pthread_mutex_unlock(&q->lock);
}

void queue_release(struct queue *q, size_t bytes)
{
	pthread_mutex_lock(&q->lock);
	expect(q->bytes >= bytes);
	q->bytes -= bytes;
	update_lag(q);
	pthread_mutex_unlock(&q->lock);
}

static void wake_all(struct queue *q)
{
	for (unsigned i = 0; i < q->n_lanes; i++) {
		pthread_cond_signal(&q->lanes[i].wake);
	}
	pthread_cond_signal(&q->front_ready);
}

void queue_stop(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->stopping = true;
	update_lag(q);
	wake_all(q);
	pthread_mutex_unlock(&q->lock);
}

bool queue_join_writer(struct queue *q, uint64_t timeout_ns)
{
	struct timespec until = deadline(timeout_ns);
	int r = 0;
	pthread_mutex_lock(&q->lock);
	while (!q->writer_done && r != ETIMEDOUT) {
		r = pthread_cond_timedwait(&q->done, &q->lock, &until);
	}
	bool in_time = q->writer_done;
	q->abandoned = true;
	wake_all(q);
	pthread_mutex_unlock(&q->lock);
	return in_time;
}

struct item *queue_rest(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	struct item *rest = q->first;
	q->first = NULL;
	q->last = &q->first;
	q->items = 0;
	pthread_mutex_unlock(&q->lock);
	return rest;
}
