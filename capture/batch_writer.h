#pragma once
/*
 * batch_writer - writes batches of encoded items as rows of a segment, and moves their units in the
 * ledger.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "capture/losses.h"
#include "capture/priority.h"
#include "capture/queue.h"
#include "capture/store.h"

struct batch_writer_figures {
	atomic_uint_fast64_t rows, parts, bytes_stored, unread, truncated;
};

struct batch_writer {
	struct store *store;
	struct losses *losses;
	struct priority *priority;
	unsigned thread; /* its number in `priority` */
	struct batch_writer_figures figures;
	pthread_mutex_t lock;
	struct item *current;           /* the batch whose commit is running */
	bool abandoned;                 /* batch_writer_abandon() has dropped its tickets */
	struct buf key, payload, value; /* reused */
};

/* Writes the batch, moves its tickets to recorded or dropped, and destroys the items. Writer's
 * thread. */
void batch_writer_write(struct batch_writer *w, struct item *batch);
/* Drops the tickets of the batch and destroys its items. Any thread. */
void batch_writer_drop(struct losses *losses, struct item *batch, enum ledger_drop cause);
/* Drops the tickets of the batch whose commit does not return. The batch itself stays as it is;
 * if the commit returns after all, the writer's thread does not touch the tickets again. Any
 * thread. */
void batch_writer_abandon(struct batch_writer *w, enum ledger_drop cause);
void batch_writer_init(
        struct batch_writer *w, struct losses *losses, struct priority *priority, unsigned thread);
void batch_writer_finish(struct batch_writer *w);
