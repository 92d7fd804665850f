#pragma once
/*
 * recording - a segment that a command writes, with what its recorder needs. One thread.
 */
#include "base/budget.h"
#include "capture/ledger.h"
#include "capture/recorder.h"

/* Zero-initialised is closed. It must not move while it is open. */
struct recording {
	struct budget budget;
	struct recorder *recorder; /* NULL: closed */
	struct ledger *ledger;
	struct ledger_book *book; /* counts what is recorded; belongs to the ledger */
};

/* Begins a segment in dir. hash_key: 32 bytes, the key of a capture that is created; NULL: a new
 * one. settings: JSON without secrets, stored in the segment. book: the name of the ledger's book.
 * Returns NULL, or why nothing can be recorded there: a sentence that the caller frees. */
char *recording_open(struct recording *r, const char *dir, const uint8_t *hash_key,
        const char *settings, const char *book) MUST_CHECK;
/* Waits until everything is written. Returns the number of rows that could not be written; 0 if it
 * was closed. */
uint64_t recording_close(struct recording *r);
