#pragma once
/*
 * ledger - where every exchange and every copy has gone: the proof that nothing is lost unseen.
 *
 * A unit is an exchange, or what one reference gets of it: a copy, or the answer to be scored.
 * It completes once, and is then at any moment
 * in exactly one place: pending, recorded (committed to disk), dropped (by cause) or excluded (by
 * reason). All moves happen under one lock and a scrape copies the ledger whole. Pending is counted
 * from the tickets that really wait in queues or in the open transaction, never by subtraction:
 * recorded + dropped + excluded + pending = completed is a check that can fail. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

#define LEDGER_BOOKS_LIMIT 32

enum ledger_drop {
	DROP_MEMORY,       /* the memory budget was spent */
	DROP_QUEUE,        /* the reference's queue was full */
	DROP_CONNECTIONS,  /* the reference had no place left */
	DROP_DISK,         /* the segment could not be written */
	DROP_STOPPED,      /* the process was told to stop before it was done */
	DROP_CAPTURE_FULL, /* max_size reached and when_full is stop */
	DROP_BODY_LIMIT,   /* the request was too large to be copied */
	DROP_TIMEOUT,      /* the reference did not score the answer in time */
	DROP_ERROR,        /* it failed to score it */
	N_DROPS,
};

enum ledger_exclusion {
	EXCLUDED_ENDPOINT, /* not a route that is mirrored */
	EXCLUDED_METHOD,
	EXCLUDED_NOT_SAMPLED,
	EXCLUDED_RATE,     /* over max_rate */
	EXCLUDED_STATEFUL, /* store, background, previous_response_id */
	EXCLUDED_MULTIPART,
	EXCLUDED_INCOMPLETE,   /* the client's request never became whole */
	EXCLUDED_NOT_MIRRORED, /* record: mirrored, and this exchange was not */
	EXCLUDED_REFUSED,      /* not HTTP that we forward: answered 4xx by us */
	EXCLUDED_UNSCORABLE,   /* the answer can't be scored, or not by this reference */
	EXCLUDED_PRIMARY_SLOW, /* the primary scores no more of its own answers: they slow it */
	EXCLUDED_OPTED_OUT,    /* the client, or a rule on the model, does not want it kept */
	N_EXCLUSIONS,
};

const char *ledger_drop_name(enum ledger_drop cause);            /* "memory" */
const char *ledger_exclusion_name(enum ledger_exclusion reason); /* "not_sampled" */

struct ledger;
struct ledger_book; /* the exchanges, or one reference's copies */

/* Embedded in what waits; linked while pending. */
struct ledger_ticket {
	struct ledger_ticket *next, *prev;
	struct ledger_book *book;
};

struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *l);
/* The book of that name ("exchanges" or a backend's), made if absent; NULL when it would be one more than
 * LEDGER_BOOKS_LIMIT. */
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
/* Of all books: units that were dropped, for whatever cause. */
uint64_t ledger_lost(struct ledger *l);
bool ledger_balances(const struct ledger_figures *f);
