#pragma once
/*
 * queue - what waits to be recorded: one line in the order of hand-over, worked on by encoders from
 * within and taken by the writer from the front.
 *
 * An item is pushed, encoded by the encoder of its owner (so that an owner's items are encoded in
 * order), and taken by the writer once it and all before it are ready: the order of commits is the
 * order of pushes, whatever the number of encoders. It counts in bytes until it is released. Any
 * thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/chunk.h"
#include "capture/pending_bodies.h"
#include "capture/leg_reader.h"
#include "capture/ledger.h"
#include "capture/record.h"

/* A manifest has no row of its own: it only makes the writer look at the manifest cache. */
enum item_kind { ITEM_PART, ITEM_LEG, ITEM_EXCHANGE, ITEM_MANIFEST };

struct item {
	struct item *next; /* in the line, then in the writer's batch */
	struct item *next_to_encode;
	enum item_kind kind;
	bool ready;         /* the queue's */
	uint64_t pushed_at; /* ns, monotonic */
	bool left_out;      /* of a part: not written, since one before it was lost */
	size_t bytes;       /* held in memory, about */
	struct id owner;    /* a row's own id */

	enum part_type type; /* of the values below */
	uint32_t n;
	struct chunks pieces;      /* until it is encoded */
	struct leg_reader *leg;    /* a reference, or NULL */
	struct buf values;         /* envelopes, one after the other; a leg's are its reading */
	struct buf body;           /* of a row: the same of a body that was held for it */
	struct pending_body *held; /* a reference, or NULL */
	struct budget *budget;     /* that values are counted in */

	struct leg_row *leg_row;
	struct exchange_row *exchange_row;
	bool read;
	bool has_ticket;
	struct ledger_ticket ticket;
};

struct item *item_create(enum item_kind kind, struct id owner);
/* The ticket must have been settled. */
void item_destroy(struct item *i);

size_t item_size(const struct item *i); /* bytes that it holds in memory, about */

struct queue;

/*
 * on_lag: called with true when the queue lags, and with false when it no longer does; NULL: nobody
 * wants to know. It lags from a quarter of its limit on until an eighth, while its first item has
 * waited longer than QUEUE_LATE_NS, and from queue_stop() on. Called from any thread, under the
 * queue's lock: it must return at once.
 */
struct queue_settings {
	unsigned encoders;
	size_t limit; /* bytes */
	void (*on_lag)(void *arg, bool lags);
	void *arg;
};
#define QUEUE_LATE_NS (250 * UINT64_C(1000000))

struct queue *queue_create(const struct queue_settings *s);
void queue_destroy(struct queue *q); /* must be empty */

/* -ENOBUFS: more than limit would wait; rows may go a quarter over it. -ESHUTDOWN: stopping. The
 * item is the caller's then. */
int queue_push(struct queue *q, struct item *i) MUST_CHECK;
bool queue_is_pressed(struct queue *q); /* over half full */
bool queue_has_time(struct queue *q);   /* hardly anything waits */
size_t queue_bytes(struct queue *q);
size_t queue_items(struct queue *q); /* that the writer has not taken yet */

/* Waits. NULL: there will be no more. */
struct item *queue_next_to_encode(struct queue *q, unsigned encoder);
void queue_encoded(struct queue *q, struct item *i, size_t bytes); /* bytes: what it holds now */
/* Waits for the front to be ready or for the end, at most timeout_ns. False: neither came in time. */
bool queue_wait_ready(struct queue *q, uint64_t timeout_ns);
/* Waits for the front to be ready; a list of ready items within the limits, at least one. NULL:
 * there will be no more. */
struct item *queue_take(struct queue *q, size_t max_bytes, size_t max_rows, size_t max_items);
void queue_release(struct queue *q, size_t bytes); /* a batch that is done with */

void queue_stop(struct queue *q);         /* pushes fail from now on; what is in it is worked off */
void queue_writer_ended(struct queue *q); /* the writer, last of all */
/* Waits for the writer's end, at most timeout_ns; then work ends where it is. False: in time it was
 * not. May be called again. */
bool queue_wait_empty(struct queue *q, uint64_t timeout_ns);
struct item *queue_rest(struct queue *q); /* after the encoders have ended and the writer has or
                                             hangs: what was not worked off */
