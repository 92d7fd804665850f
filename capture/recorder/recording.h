#pragma once
/*
 * recording - for commands that record: a recorder with the budget and the ledger that it needs.
 * One thread.
 */
#include "base/budget.h"
#include "capture/recorder/ledger.h"
#include "capture/manifest.h"
#include "capture/recorder/recorder.h"

/* Zero-initialised is closed. It must not move while it is open. */
struct recording {
	struct budget budget;
	struct recorder *recorder; /* NULL: closed */
	struct ledger *ledger;
	struct ledger_book *book; /* counts what was recorded and dropped; belongs to `ledger` */
};

/* Begins a segment in dir, which becomes a capture if it is new or empty. Returns NULL, or a
 * sentence: why nothing can be recorded there; *r is then closed.
 *
 *	hash_key  32 bytes, the key of a new capture; NULL: a random one
 *	settings  JSON without secrets, stored in the segment
 *	book      name of the ledger's book */
char *recording_open(struct recording *r, const char *dir, const uint8_t *hash_key,
        const char *settings, const char *book) MUST_CHECK;
/* Records what is known about the backend's stack. Returns the manifest's id for its legs; zero: m
 * is NULL or has no facts, and nothing was recorded. */
struct id recording_manifest(struct recorder *r, const struct manifest *m, const char *backend,
        const char *url, enum role role);
/* Waits until everything is written, at most 60 s. Returns the number of units that were not
 * written (ledger.h); 0 if it was closed. */
uint64_t recording_close(struct recording *r);
