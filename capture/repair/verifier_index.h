#pragma once
/*
 * verifier_index - whether the log and the indexes of one segment agree with the rows that they name.
 * Their own rows carry no checksum: each side is held against the other. For verifier.c only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/keyset.h"
#include "capture/record.h"
#include "capture/segment.h"

/* Zero-initialised is empty. */
struct verifier_index {
	struct keyset named;    /* keys by row kind: what log and indexes say is there */
	struct keyset logged;   /* what the log alone says */
	struct keyset indexed;  /* what the indexes say about it: see verifier_index.c */
	struct keyset promised; /* what the rows say that the indexes should say */
	uint64_t last_number;   /* of the log, as far as it was seen */
	struct buf key;         /* reused */
};

/* A row of the log or of an index. NULL, or what is wrong with it by itself. in_order: the table's
 * rows come one after the other, none left out. */
const char *verifier_index_add(struct verifier_index *n, enum segment_table t, struct span key,
        struct span value, bool in_order);
/* Whole rows. */
void verifier_index_exchange(struct verifier_index *n, const struct exchange_row *row);
void verifier_index_leg(struct verifier_index *n, const struct leg_row *row);

/* One row (its kind and key) and what log or index say wrongly of it: "table by_time has another
 * time for it". */
typedef void (*verifier_index_fn)(void *arg, uint8_t kind, struct span key, const char *how);

enum verifier_index_extent {
	NAMES_PARTLY, /* rows of log and indexes may have been missed */
	NAMES_LIVE,   /* none was missed, but rows have been added since */
	NAMES_ALL,
};
/* whole: the keys of the segment's whole rows by kind. */
void verifier_index_compare(const struct verifier_index *n, const struct keyset *whole,
        enum verifier_index_extent extent, verifier_index_fn fn, void *arg);
void verifier_index_finish(struct verifier_index *n);
