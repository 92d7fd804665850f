#pragma once
/*
 * verifier - looks at every row of a capture directory's segments: what is whole, what is damaged,
 * what is missing.
 *
 * Segments that LMDB may not open are read page by page. One thread.
 */
#include <stdint.h>

#include "base/id.h"
#include "capture/segment.h"

struct verifier_events {
	/* Something is wrong: one sentence. segment is zero for what concerns several. */
	void (*on_finding)(void *arg, struct id segment, const char *sentence);
	/* A whole row of the exchange, leg or part table, or a manifest of the meta table, once in each
	 * segment. Less than 0 ends the verification. May be NULL. */
	int (*on_row)(void *arg, enum segment_table t, struct span key, struct span value);
	/* After each so many rows. May be NULL. */
	void (*on_progress)(void *arg, uint64_t rows);
};

struct verifier_figures {
	uint64_t segments, sealed, live, orphaned, unsound;
	uint64_t exchanges, legs, parts, manifests; /* whole rows */
	uint64_t damaged;  /* rows that are not whole, or that log or indexes name wrongly */
	uint64_t missing;  /* rows and bodies that should be there and are not */
	uint64_t dangling; /* owners of parts without a row: what a crash may leave, no damage */
};

struct verifier;

struct verifier *verifier_create(const char *dir, const struct verifier_events *events, void *arg);
/* 0; what on_row said; or the error of a file that cannot be read. Damage is a finding, not an
 * error. */
int verifier_segment(struct verifier *s, struct id id) MUST_CHECK;
/* Last: holds bodies against their rows, over all segments that were looked at. */
void verifier_end(struct verifier *s, struct verifier_figures *ret);
void verifier_destroy(struct verifier *s);
