#pragma once
/*
 * batch_writer - the recorder's writer: stores batches of encoded items (queue.h), and moves their
 * tickets (ledger.h). A batch is a list of items, linked by `next`.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "capture/recorder/losses.h"
#include "capture/recorder/priority.h"
#include "capture/recorder/queue.h"
#include "capture/recorder/store.h"

/* Sums; any thread may read them. unread, truncated: rows with that mark. */
struct batch_writer_figures {
	atomic_uint_fast64_t rows, parts, bytes_stored, unread, truncated;
};

struct batch_writer {
	struct store *store; /* the caller sets and destroys it */
	struct losses *losses;
	struct priority *priority;
	unsigned thread; /* the number of the writer's thread in `priority` */
	struct batch_writer_figures figures;
	pthread_mutex_t lock;
	struct item *current;           /* the batch whose commit is running */
	bool abandoned;                 /* batch_writer_abandon() has dropped its tickets */
	struct buf key, payload, value; /* reused */
};

/* Writes the batch, moves its tickets to recorded or dropped, and destroys the items; after
 * batch_writer_abandon() it leaves the items alone. Writer's thread. */
void batch_writer_write(struct batch_writer *w, struct item *batch);
/* Drops the batch's tickets, notes lost parts in `losses`, and destroys the items. Any thread. */
void batch_writer_drop(struct losses *losses, struct item *batch, enum ledger_drop cause);
/* Drops the tickets of the batch whose commit does not return, and leaves its items alone. If the
 * commit returns later, the writer's thread does not touch the tickets again. Any thread. */
void batch_writer_abandon(struct batch_writer *w, enum ledger_drop cause);
/* *w must be zero-initialised. */
void batch_writer_init(
        struct batch_writer *w, struct losses *losses, struct priority *priority, unsigned thread);
void batch_writer_finish(struct batch_writer *w);
