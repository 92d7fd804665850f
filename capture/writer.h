#pragma once
/*
 * writer - a batch of encoded items as rows of a segment, and what becomes of the units it stands
 * for.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <pthread.h>

#include "capture/losses.h"
#include "capture/priority.h"
#include "capture/queue.h"
#include "capture/store.h"

struct writer_figures {
	atomic_uint_fast64_t rows, parts, bytes_stored, unread, truncated;
};

struct writer {
	struct store *store;
	struct losses *losses;
	struct priority *priority;
	unsigned thread; /* its number in that */
	struct writer_figures figures;
	pthread_mutex_t lock;
	struct item *under_way;                  /* a batch whose commit has not come back */
	bool given_up;                           /* it is nobody's any more */
	struct buf key, payload, value, log_key; /* reused */
};

/* Writes the list and settles its tickets; the items are destroyed. The writer's thread. */
void writer_write(struct writer *w, struct item *batch);
/* Gives the list up. Any thread. */
void writer_drop(struct losses *losses, struct item *batch, enum ledger_drop cause);
/* Settles the tickets of the batch whose commit does not come back. The batch itself is left as it
 * is, and the writer's thread touches none of it should the commit come back after all. Any thread.
 */
void writer_give_up(struct writer *w, enum ledger_drop cause);
void writer_init(
        struct writer *w, struct losses *losses, struct priority *priority, unsigned thread);
void writer_finish(struct writer *w);
