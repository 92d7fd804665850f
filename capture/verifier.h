#pragma once
/*
 * verifier - checks every row of the segments in a capture's directory: is it intact, damaged or
 * missing?
 *
 * It reads a segment page by page if LMDB cannot open it safely. One thread.
 */
#include <stdint.h>

#include "base/id.h"
#include "capture/segment.h"

struct verifier_events {
	/* Called for each fault, with one sentence. segment: zero if it concerns several. */
	void (*on_finding)(void *arg, struct id segment, const char *sentence);
	/* Called for each intact row of the exchange, leg and part tables, and for each manifest
	 * of the meta table, once in each segment. A negative result ends the verification. May
	 * be NULL. */
	int (*on_row)(void *arg, enum segment_table t, struct span key, struct span value);
	/* Called from time to time with the number of rows so far. May be NULL. */
	void (*on_progress)(void *arg, uint64_t rows);
};

struct verifier_figures {
	uint64_t segments; /* segments that were examined */
	/* how many of the segments have a seal; have a running writer; have neither */
	uint64_t sealed, live, orphaned;
	/* segments that LMDB cannot open safely, and that were read page by page */
	uint64_t unsound;
	uint64_t exchanges, legs, parts, manifests; /* intact rows */
	/* rows that are damaged, or to which the log or an index refers wrongly */
	uint64_t damaged;
	uint64_t missing; /* rows and bodies that should exist and do not */
	/* exchanges and legs that have parts but no row: left by a crash, no damage */
	uint64_t dangling;
};

struct verifier;

/* Copies *events. dir (the capture's directory) and arg must outlive the verifier. */
struct verifier *verifier_create(const char *dir, const struct verifier_events *events, void *arg);
/* Checks one segment. Returns 0; the negative result of on_row; or a negative errno if a file
 * cannot be read. Damage is a finding, not an error. */
int verifier_segment(struct verifier *s, struct id id) MUST_CHECK;
/* Call once, after the last segment: compares bodies with their rows, over all segments. */
void verifier_end(struct verifier *s, struct verifier_figures *ret);
/* Call it also after verifier_end(). */
void verifier_destroy(struct verifier *s);
