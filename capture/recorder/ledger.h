#pragma once
/*
 * ledger - accounts for every exchange and every copy, so that none is lost without being counted.
 *
 * A unit is an exchange, a copy for a reference, or an answer that a reference shall score. A unit
 * completes once. From then on it is in exactly one place: pending, recorded (committed to disk),
 * dropped (by cause) or excluded (by reason). All moves happen under one lock, and a scrape copies
 * the whole ledger under it. The pending units are counted from their tickets, never by
 * subtraction. So recorded + dropped + excluded + pending = completed is a check that can fail. Any
 * thread.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

#define LEDGER_BOOKS_LIMIT 32

enum ledger_drop {
	DROP_MEMORY,       /* the memory budget was spent, or the recorder's queue was full */
	DROP_QUEUE,        /* the reference's queue was full */
	DROP_DISK,         /* the segment could not be written */
	DROP_STOPPED,      /* the process stopped before the unit was recorded */
	DROP_CAPTURE_FULL, /* the capture has max_size bytes and when_full is stop */
	DROP_BODY_LIMIT,   /* the request was too large to copy */
	DROP_TIMEOUT,      /* the reference did not score the answer in time */
	DROP_ERROR,        /* the reference failed to score the answer */
	N_DROPS,
};

enum ledger_exclusion {
	EXCLUDED_ENDPOINT, /* a route that is not mirrored */
	EXCLUDED_METHOD,
	EXCLUDED_NOT_SAMPLED,
	EXCLUDED_RATE,     /* there were more than max_rate requests */
	EXCLUDED_STATEFUL, /* store, background, previous_response_id */
	EXCLUDED_MULTIPART,
	EXCLUDED_INCOMPLETE, /* the client's request did not arrive completely */
	/* the setting is record: mirrored, and this exchange was not mirrored */
	EXCLUDED_NOT_MIRRORED,
	EXCLUDED_REFUSED,    /* the proxy does not forward such HTTP: it answered 4xx, 501 or 505 */
	EXCLUDED_UNSCORABLE, /* the answer cannot be scored, or this reference cannot score it */
	/* the primary no longer scores its own answers, because scoring slows it */
	EXCLUDED_PRIMARY_SLOW,
	EXCLUDED_OPTED_OUT, /* the client, or a rule on its model, opted out */
	N_EXCLUSIONS,
};

const char *ledger_drop_name(enum ledger_drop cause);            /* "memory" */
const char *ledger_exclusion_name(enum ledger_exclusion reason); /* "not_sampled" */

struct ledger;
struct ledger_book; /* the units of one kind: the exchanges, or one reference's copies */

/* A unit that may be pending. Embedded in the item that waits to be recorded. It must not move
 * while it is pending. */
struct ledger_ticket {
	struct ledger_ticket *next, *prev;
	struct ledger_book *book;
};

struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *l);
/* The book with this name ("exchanges", or a backend's name); creates it if necessary. It lives as
 * long as the ledger. NULL: there are LEDGER_BOOKS_LIMIT others. */
struct ledger_book *ledger_book(struct ledger *l, const char *name);

/* Call one of these three when a unit completes. They count it as excluded, dropped or pending. */
void ledger_excluded(struct ledger_book *b, enum ledger_exclusion reason);
void ledger_dropped(struct ledger_book *b, enum ledger_drop cause);
void ledger_pending(struct ledger_book *b, struct ledger_ticket *ticket);
/* Move pending units to recorded (those of one batch) or to dropped. */
void ledger_mark_recorded(struct ledger_ticket *const *tickets, size_t n);
void ledger_mark_dropped(struct ledger_ticket *ticket, enum ledger_drop cause);

struct ledger_figures {
	const char *name; /* belongs to the ledger */
	uint64_t completed, recorded, pending;
	uint64_t dropped[N_DROPS];
	uint64_t excluded[N_EXCLUSIONS];
};

struct ledger_scrape {
	size_t n;
	struct ledger_figures books[LEDGER_BOOKS_LIMIT];
};

void ledger_scrape(struct ledger *l, struct ledger_scrape *ret);
/* The number of dropped units in all books. */
uint64_t ledger_lost(struct ledger *l);
