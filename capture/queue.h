#pragma once
/*
 * queue - items that wait to be recorded: one list in the order of pushes, from which encoders work
 * and the writer takes the front.
 *
 * An item is pushed, encoded by its owner's encoder (so that an owner's items stay in order), and
 * taken by the writer once it and all before it are ready. Commits are therefore in the order of
 * pushes, with any number of encoders. An item counts in bytes until it is released. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/pending_bodies.h"
#include "capture/leg_reader.h"
#include "capture/ledger.h"
#include "capture/record.h"

/* A manifest has no row: it only makes the writer look at the manifest cache. */
enum item_kind { ITEM_PART, ITEM_LEG, ITEM_EXCHANGE, ITEM_MANIFEST };

struct item {
	struct item *next; /* in the list, then in the writer's batch */
	struct item *next_to_encode;
	enum item_kind kind;
	bool ready;         /* the queue's */
	uint64_t pushed_at; /* ns, monotonic */
	bool left_out;      /* of a part: not written, since one before it was lost */
	size_t bytes;       /* memory that it holds, about */
	struct id owner;    /* a row's own id */

	enum part_type type; /* of the values below */
	uint32_t n;
	struct chunks pieces;      /* until encoded */
	struct leg_reader *leg;    /* a reference, or NULL */
	struct buf values;         /* envelopes, one after another; of a leg, its reading */
	struct buf body;           /* of a row: envelopes of a body that was held for it */
	struct pending_body *held; /* a reference, or NULL */
	struct budget *budget;     /* in which the values count */

	struct leg_row *leg_row;
	struct exchange_row *exchange_row;
	bool read;
	bool has_ticket;
	struct ledger_ticket ticket;
};

struct item *item_create(enum item_kind kind, struct id owner);
/* The ticket must have been settled. */
void item_destroy(struct item *i);

size_t item_size(const struct item *i); /* bytes that it holds, about */

struct queue;

/*
 * on_lag: called with true when the queue begins to lag and with false when it no longer lags; may
 * be NULL. It lags from a quarter of its limit until an eighth, while its first item has waited
 * longer than QUEUE_LATE_NS, and from queue_stop() on. Called from any thread, under the queue's
 * lock: it must return at once.
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

/* -ENOBUFS: over the limit; rows may exceed it by a quarter. -ESHUTDOWN: stopping. On error the
 * caller keeps the item. */
int queue_push(struct queue *q, struct item *i) MUST_CHECK;
bool queue_is_pressed(struct queue *q); /* over half full */
bool queue_has_time(struct queue *q);   /* almost empty */
size_t queue_bytes(struct queue *q);
size_t queue_items(struct queue *q); /* not yet taken by the writer */

/* Waits for an item. NULL: there will be no more. */
struct item *queue_next_to_encode(struct queue *q, unsigned encoder);
void queue_encoded(struct queue *q, struct item *i, size_t bytes); /* bytes: what it holds now */
/* Waits until the front is ready or the queue ends, at most timeout_ns. False: timeout. */
bool queue_wait_ready(struct queue *q, uint64_t timeout_ns);
/* Waits until the front is ready and returns a list of ready items within the limits, at least one.
 * NULL: there will be no more. */
struct item *queue_take(struct queue *q, size_t max_bytes, size_t max_rows, size_t max_items);
void queue_release(struct queue *q, size_t bytes); /* of a finished batch */

void queue_stop(struct queue *q);         /* pushes fail from now on; the rest is still processed */
void queue_writer_ended(struct queue *q); /* called by the writer, last */
/* Waits until the writer ends, at most timeout_ns; then processing stops where it is. False:
 * timeout. May be called again. */
bool queue_wait_empty(struct queue *q, uint64_t timeout_ns);
/* after the encoders ended, and the writer ended or hangs: the items that were not processed */
struct item *queue_rest(struct queue *q);
