#pragma once
/*
 * writer - a batch of encoded items as rows of a segment, and what becomes of the units it stands
 * for.
 */
#include <stdatomic.h>
#include <stdint.h>

#include "capture/losses.h"
#include "capture/queue.h"
#include "capture/store.h"

struct writer_figures {
	atomic_uint_fast64_t rows, parts, bytes_stored, unread, truncated;
};

struct writer {
	struct store *store;
	struct losses *losses;
	struct writer_figures figures;
	struct buf key, payload, value, log_key; /* reused */
};

/* Writes the list and settles its tickets; the items are destroyed. The writer's thread. */
void writer_write(struct writer *w, struct item *batch);
/* Gives the list up. Any thread. */
void writer_drop(struct losses *losses, struct item *batch, enum ledger_drop cause);
void writer_finish(struct writer *w);
