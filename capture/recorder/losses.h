#pragma once
/*
 * losses - remembers what was lost of an owner (an exchange or a leg) until the owner's row arrives
 * and can be marked. It also remembers which owners have parts on disk but no row yet: if somebody
 * deletes the capture's directory, these parts are lost, too. Any thread.
 *
 * Nearly every owner gets a row, whose arrival removes the entry. If rows do not arrive, the set
 * stops growing at LOSSES_LIMIT entries, half of which are reserved for losses. Further losses show
 * only in the recorded lengths.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include <pthread.h>

#include "base/hash_table.h"
#include "base/id.h"
#include "capture/recorder/ledger.h"

#define LOSSES_LIMIT 100000

enum loss {
	LOSS_PARTS = 1 << 0, /* parts of the owner were lost */
	/* the primary's leg was lost, which the ledger counts only as a part of the exchange */
	LOSS_LEG = 1 << 1,
};

struct loss_of {
	unsigned losses;        /* bits of enum loss; 0: nothing was lost */
	enum ledger_drop cause; /* cause of the first loss */
};

struct losses {
	pthread_mutex_t lock;
	atomic_size_t n; /* number of entries, for reading without the lock */
	struct hash_table entries;
};

void losses_init(struct losses *l);
void losses_finish(struct losses *l);
void losses_add(struct losses *l, struct id owner, enum loss loss, enum ledger_drop cause);
/* Remembers that the owner has parts on disk but no row. kept: the loss that losses_lose_stored()
 * then notes. */
void losses_add_stored(struct losses *l, struct id owner, enum loss kept);
/* Call it when the capture's directory was deleted: all that was stored without its row is lost. */
void losses_lose_stored(struct losses *l, enum ledger_drop cause);
struct loss_of losses_of(struct losses *l, struct id owner);
void losses_remove(struct losses *l, struct id owner);
