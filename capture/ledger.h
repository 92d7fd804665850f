#pragma once
/*
 * ledger - accounts for every exchange and every copy, as proof that nothing is lost unnoticed.
 *
 * A unit is an exchange, or what a reference gets of it: a copy, or an answer to score. A unit
 * completes once. From then on it is in exactly one place: pending, recorded (committed to disk),
 * dropped (by cause) or excluded (by reason). All moves happen under one lock, and a scrape copies
 * the whole ledger. Pending is counted from the tickets in queues and in the open transaction,
 * never by subtraction. So recorded + dropped + excluded + pending = completed is a check that can
 * fail. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

#define LEDGER_BOOKS_LIMIT 32

enum ledger_drop {
	DROP_MEMORY,       /* the memory budget was spent */
	DROP_QUEUE,        /* the reference's queue was full */
	DROP_CONNECTIONS,  /* the reference had no free slot */
	DROP_DISK,         /* the segment could not be written */
	DROP_STOPPED,      /* the process stopped first */
	DROP_CAPTURE_FULL, /* max_size reached and when_full is stop */
	DROP_BODY_LIMIT,   /* the request was too large to copy */
	DROP_TIMEOUT,      /* the reference did not score the answer in time */
	DROP_ERROR,        /* the reference failed to score the answer */
	N_DROPS,
};

enum ledger_exclusion {
	EXCLUDED_ENDPOINT, /* a route that is not mirrored */
	EXCLUDED_METHOD,
	EXCLUDED_NOT_SAMPLED,
	EXCLUDED_RATE,     /* over max_rate */
	EXCLUDED_STATEFUL, /* store, background, previous_response_id */
	EXCLUDED_MULTIPART,
	EXCLUDED_INCOMPLETE,   /* the client's request was never complete */
	EXCLUDED_NOT_MIRRORED, /* record: mirrored, and this exchange was not */
	EXCLUDED_REFUSED,      /* not HTTP that the proxy forwards: it answered 4xx */
	EXCLUDED_UNSCORABLE,   /* the answer cannot be scored, or not by this reference */
	EXCLUDED_PRIMARY_SLOW, /* the primary scores no more of its own answers: they slow it */
	EXCLUDED_OPTED_OUT,    /* opted out by the client, or by a rule on its model */
	N_EXCLUSIONS,
};

const char *ledger_drop_name(enum ledger_drop cause);            /* "memory" */
const char *ledger_exclusion_name(enum ledger_exclusion reason); /* "not_sampled" */

struct ledger;
struct ledger_book; /* the exchanges, or one reference's copies */

/* Embedded in what waits; in a list while pending. */
struct ledger_ticket {
	struct ledger_ticket *next, *prev;
	struct ledger_book *book;
};

struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *l);
/* The book of this name ("exchanges" or a backend's), created if absent; NULL if there are
 * LEDGER_BOOKS_LIMIT already. */
struct ledger_book *ledger_book(struct ledger *l, const char *name);

void ledger_excluded(
        struct ledger_book *b, enum ledger_exclusion reason);       /* completed and excluded */
void ledger_dropped(struct ledger_book *b, enum ledger_drop cause); /* completed and dropped */
void ledger_pending(
        struct ledger_book *b, struct ledger_ticket *ticket); /* completed and pending */
void ledger_settle_recorded(
        struct ledger_ticket *const *tickets, size_t n); /* one batch, one lock */
void ledger_settle_dropped(struct ledger_ticket *ticket, enum ledger_drop cause);

struct ledger_figures {
	const char *name;
	uint64_t completed, recorded, pending;
	uint64_t dropped[N_DROPS];
	uint64_t excluded[N_EXCLUSIONS];
};

struct ledger_scrape {
	size_t n;
	struct ledger_figures books[LEDGER_BOOKS_LIMIT];
};

void ledger_scrape(struct ledger *l, struct ledger_scrape *ret);
/* Dropped units of all books, of any cause. */
uint64_t ledger_lost(struct ledger *l);
bool ledger_balances(const struct ledger_figures *f);
