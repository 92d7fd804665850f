#pragma once
/*
 * queue - the items that wait to be recorded, in the order in which they were pushed. Several
 * encoders work on them; the writer takes them from the front.
 *
 * All items of one owner have the same encoder, so that they stay in order. The writer takes an
 * item when it and all items before it are encoded. So commits keep the order of pushes, with any
 * number of encoders. An item's bytes count until queue_release(). Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/recorder/pending_bodies.h"
#include "capture/leg_reader.h"
#include "capture/recorder/ledger.h"
#include "capture/record.h"

/* ITEM_MANIFEST has no row: it only makes the writer look at the manifest cache. */
enum item_kind { ITEM_PART, ITEM_LEG, ITEM_EXCHANGE, ITEM_MANIFEST };

struct item {
	struct item *next; /* in the list, then in the writer's batch */
	struct item *next_to_encode;
	enum item_kind kind;
	bool ready;         /* encoded; for the queue only */
	uint64_t pushed_at; /* clock_mono() ns */
	bool left_out;      /* a piece that is not written, because an earlier one was lost */
	size_t bytes;       /* approximate memory of the item */
	struct id owner;    /* exchange or leg; of a row its own id */

	enum part_type type; /* ITEM_PART: the type of the part, and the number of the piece */
	uint32_t n;
	struct chunks pieces;   /* until encoded */
	struct leg_reader *leg; /* a reference, or NULL */
	/* Envelopes, one after another. ITEM_LEG: those of its reading. */
	struct buf values;
	/* a row: envelopes of a body that was held for it (pending_bodies.h) */
	struct buf body;
	struct pending_body *held; /* a reference, or NULL */
	struct budget *budget;     /* the budget in which `values` count */

	struct leg_row *leg_row;
	struct exchange_row *exchange_row;
	bool read; /* ITEM_LEG: make its reading */
	bool has_ticket;
	struct ledger_ticket ticket;
};

struct item *item_create(enum item_kind kind, struct id owner);
/* Frees all that the item has. Its ticket must not be pending. */
void item_destroy(struct item *i);

size_t item_size(const struct item *i); /* approximate memory, bytes */

struct queue;

/*
 * on_lag: called with true when the queue begins to lag, and with false when it no longer lags; may
 * be NULL. The queue lags from a quarter of its limit until it has fallen to an eighth, while its
 * first item has waited longer than QUEUE_LATE_NS, and after queue_stop(). Any thread calls on_lag,
 * under the queue's lock, so it must return at once and not use the queue.
 */
struct queue_settings {
	unsigned encoders;
	size_t limit; /* bytes */
	void (*on_lag)(void *arg, bool lags);
	void *arg;
};
#define QUEUE_LATE_NS (250 * UINT64_C(1000000))

struct queue *queue_create(const struct queue_settings *s);
void queue_destroy(struct queue *q); /* the queue must be empty */

/* Takes over the item. Returns 0; -ENOBUFS: the queue is full (items other than parts may exceed
 * the limit by a quarter); -ESHUTDOWN: after queue_stop(). On error the caller keeps the item. */
int queue_push(struct queue *q, struct item *i) MUST_CHECK;
bool queue_is_under_pressure(struct queue *q); /* more than half full */
bool queue_has_time(struct queue *q);          /* almost empty */
size_t queue_bytes(struct queue *q);
size_t queue_items(struct queue *q); /* items that the writer has not taken */

/* Waits for the next item of this encoder. NULL: no more items will come. */
struct item *queue_next_to_encode(struct queue *q, unsigned encoder);
/* Call it when the item is encoded. bytes: item_size() of the encoded item. */
void queue_encoded(struct queue *q, struct item *i, size_t bytes);
/* Waits until the first item is encoded or the queue ends, at most timeout_ns. False: timeout. */
bool queue_wait_ready(struct queue *q, uint64_t timeout_ns);
/* Waits until the first item is encoded, and returns a list of encoded items within the limits, at
 * least one, which the caller owns. max_rows limits all items but parts. NULL: no more items will
 * come. */
struct item *queue_next_batch(struct queue *q, size_t max_bytes, size_t max_rows, size_t max_items);
void queue_release(struct queue *q, size_t bytes); /* the bytes of a batch that is written */

/* Pushes fail from now on; queued items are still processed. */
void queue_stop(struct queue *q);
void queue_writer_ended(struct queue *q); /* the writer's last call */
/* Waits for queue_writer_ended(), at most timeout_ns. From then on encoders and writer get no more
 * items. False: timeout. May be called again. */
bool queue_join_writer(struct queue *q, uint64_t timeout_ns);
/* Takes out the items that were not processed; the caller owns them. Call it after the encoders
 * have ended, and the writer has ended or hangs. */
struct item *queue_rest(struct queue *q);
