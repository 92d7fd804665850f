#pragma once
/*
 * losses - whose parts or legs were lost, until their rows come by and can say so; and whose are on the disk and would be
 * lost with the capture. Any thread.
 *
 * Nearly every owner has a row in the end, which takes its entry away; should rows fail to come, the set
 * stops growing at LOSSES_LIMIT, half of which is for losses alone, and a loss then shows only in the lengths.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include <pthread.h>

#include "base/id.h"
#include "capture/ledger.h"

#define LOSSES_LIMIT 100000

enum loss {
	LOSS_PARTS = 1 << 0, /* of this exchange or leg */
	LOSS_LEG = 1 << 1,   /* of this exchange: a leg for which its row stands in the ledger */
};

struct loss_of {
	unsigned losses;        /* a set of enum loss */
	enum ledger_drop cause; /* of the first of them */
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
/* Not lost, but on the disk before the owner's row is. */
void losses_keep(struct losses *l, struct id owner, enum loss kept);
/* All that is on the disk is lost. */
void losses_lose_kept(struct losses *l, enum ledger_drop cause);
struct loss_of losses_of(struct losses *l, struct id owner);
void losses_remove(struct losses *l, struct id owner);
