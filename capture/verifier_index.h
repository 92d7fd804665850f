#pragma once
/*
 * verifier_index - checks whether the log and the indexes of one segment agree with its rows. Log
 * and index rows have no checksum, so both sides are compared. For verifier.c only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "capture/keyset.h"
#include "capture/record.h"
#include "capture/segment.h"

/* Zero-initialised is empty. */
struct verifier_index {
	struct keyset named;    /* keys of rows, by kind, that the log and the indexes name */
	struct keyset logged;   /* keys that the log names */
	struct keyset indexed;  /* what the indexes state (verifier_index.c has the form) */
	struct keyset expected; /* what the indexes should state, according to the rows */
	uint64_t last_number;   /* the last number read from the log */
	struct buf key;         /* reused */
};

/* Adds a row of the log or of an index. Returns NULL, or a static sentence that says what is wrong
 * with this row by itself. in_order: the table's rows come in order, without gaps. */
const char *verifier_index_add(struct verifier_index *n, enum segment_table t, struct span key,
        struct span value, bool in_order);
/* Add intact rows. */
void verifier_index_exchange(struct verifier_index *n, const struct exchange_row *row);
void verifier_index_leg(struct verifier_index *n, const struct leg_row *row);

/* Gets the kind and key of a row, and what the log or an index states wrongly about it, such as
 * "table by_time has another time for it". */
typedef void (*verifier_index_fn)(void *arg, uint8_t kind, struct span key, const char *how);

enum verifier_index_extent {
	NAMES_PARTLY, /* rows of the log and the indexes may be missing */
	NAMES_LIVE,   /* none is missing, but the writer has added rows since */
	NAMES_ALL,
};
/* Calls fn for each disagreement. whole: the keys of the segment's intact rows, by kind. extent:
 * which rows of the log and the indexes were added. */
void verifier_index_compare(const struct verifier_index *n, const struct keyset *whole,
        enum verifier_index_extent extent, verifier_index_fn fn, void *arg);
void verifier_index_finish(struct verifier_index *n);
