#pragma once
/*
 * score_order - one answer that waits to be scored by one reference: the bytes of request and
 * answer, and how to score them.
 *
 * It ends in the reference's book in any case: as a recorded leg, dropped by a cause, or excluded.
 * A loop thread makes it, a thread of the score pool runs it.
 */
#include "backends/leg.h"
#include "backends/scorer.h"
#include "base/chunk.h"
#include "base/list.h"
#include "capture/ledger.h"
#include "proxy/lineup.h"

struct shared;

struct score_source { /* all of it is borrowed */
	struct lineup *lineup;
	struct party *party;                     /* who scores */
	const struct backend_settings *settings; /* of the lineup's */
	struct id exchange;
	const struct leg *leg; /* whose answer it is: about to end */
	const char *model;     /* as the client asked for it */
	uint64_t body_bytes;   /* of the exchange's request */
	const struct chunks *request, *answer;
};

struct score_order {
	struct list link; /* in scoring's queue */
	struct lineup *lineup;
	struct party *party;
	const struct backend_settings *settings;
	struct budget *budget;
	struct id exchange, leg;
	struct reading_hints hints;
	char *coding; /* of the answer's body, or NULL */
	char *model;
	uint64_t body_bytes;
	struct chunks request, answer;
	size_t weight; /* in the party's queue */
};

/* Takes room in the party's queue; whoever takes the order out of it gives the room back. *ret NULL:
 * there is no room, and the cause is returned. */
enum ledger_drop score_order_make(
        const struct score_source *from, struct budget *budget, struct score_order **ret);
/* Scores and records it; o is gone. in_flight: requests to the reference now. */
void score_order_run(
        struct score_order *o, struct scorer *s, struct recorder *recorder, unsigned in_flight);
void score_order_drop(struct score_order *o, enum ledger_drop cause);
void score_order_exclude(struct score_order *o, const char *why);
