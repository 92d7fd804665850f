#pragma once
/*
 * losses - remembers two kinds of owners until their rows arrive: those whose parts or legs were
 * lost, so that their rows can say so; and those whose parts are on disk and would be lost with the
 * capture. Any thread.
 *
 * Nearly every owner gets a row, which removes its entry. If rows fail to arrive, the set stops
 * growing at LOSSES_LIMIT entries, half of which are reserved for losses; further losses can be
 * seen only in the recorded lengths.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include <pthread.h>

#include "base/id.h"
#include "capture/ledger.h"

#define LOSSES_LIMIT 100000

enum loss {
	LOSS_PARTS = 1 << 0, /* parts of this exchange or leg were lost */
	/* a leg of this exchange was lost that the ledger does not count by itself: it counts as
	 * part of the exchange */
	LOSS_LEG = 1 << 1,
};

struct loss_of {
	unsigned losses;        /* a set of enum loss */
	enum ledger_drop cause; /* cause of the first loss */
};

struct losses_entry;

struct losses {
	pthread_mutex_t lock;
	atomic_size_t n;
	struct losses_entry *buckets[1024];
};

void losses_init(struct losses *l);
void losses_finish(struct losses *l);
void losses_add(struct losses *l, struct id owner, enum loss loss, enum ledger_drop cause);
/* Notes that parts of the owner are on disk while its row is not. */
void losses_keep(struct losses *l, struct id owner, enum loss kept);
/* All parts that were on disk without a row are lost. */
void losses_lose_kept(struct losses *l, enum ledger_drop cause);
struct loss_of losses_of(struct losses *l, struct id owner);
void losses_remove(struct losses *l, struct id owner);
