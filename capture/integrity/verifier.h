#pragma once
/*
 * verifier - checks every row of a capture directory's segments: intact, damaged, missing.
 *
 * Segments that are not safe to open with LMDB are read page by page. One thread.
 */
#include <stdint.h>

#include "base/id.h"
#include "capture/segment.h"

struct verifier_events {
	/* A fault, in one sentence. segment is zero if it concerns several. */
	void (*on_finding)(void *arg, struct id segment, const char *sentence);
	/* An intact row of the exchange, leg or part table, or a manifest of the meta table, once
	 * in each segment. A negative result ends the verification. May be NULL. */
	int (*on_row)(void *arg, enum segment_table t, struct span key, struct span value);
	/* Called from time to time with the number of rows. May be NULL. */
	void (*on_progress)(void *arg, uint64_t rows);
};

struct verifier_figures {
	uint64_t segments; /* all that were examined */
	/* of these: complete, with a seal; with a running writer; unsealed, and their writer is
	 * gone */
	uint64_t sealed, live, orphaned;
	/* segments that LMDB can't open safely, and that were read page by page */
	uint64_t unsound;
	uint64_t exchanges, legs, parts, manifests; /* intact rows */
	/* rows that are damaged, or to which the log or an index refers wrongly */
	uint64_t damaged;
	uint64_t missing;  /* rows and bodies that should exist and do not */
	uint64_t dangling; /* owners that have parts but no row: left by a crash, no damage */
};

struct verifier;

/* events and arg must outlive the verifier; dir: the capture's directory. */
struct verifier *verifier_create(const char *dir, const struct verifier_events *events, void *arg);
/* Returns 0; the result of on_row; or the error of a file that cannot be read. Damage is a finding,
 * not an error. */
int verifier_segment(struct verifier *s, struct id id) MUST_CHECK;
/* Call once, after the last segment: compares bodies with their rows, over all segments. */
void verifier_end(struct verifier *s, struct verifier_figures *ret);
void verifier_destroy(struct verifier *s); /* frees it; also after verifier_end() */
