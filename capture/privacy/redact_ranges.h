#pragma once
/*
 * redact_ranges - finds the ranges of a text that a policy makes private. For redact.c only.
 *
 * It searches the text as it is, and again with its escapes decoded (redact_view.h), up to
 * REDACT_LEVELS times, for secrets of a known form (secret_scan.h) and for the user's patterns. The
 * search for patterns is limited in processor time; the whole search is limited in ranges and
 * memory. If a limit is exceeded, `error` is set.
 */
#include "capture/privacy/redact_policy.h"
#include "capture/privacy/redact_view.h"

#define REDACT_LEVELS 3

enum { KIND_PATTERN = N_SECRETS, KIND_MEMBER };

struct range {
	size_t from, to;
	int kind; /* enum secret, KIND_PATTERN or KIND_MEMBER */
};

struct redact_ranges { /* zero-initialise it, and set policy, deadline and claim */
	const struct redact_policy *policy;
	struct range *ranges;
	size_t n, cap;
	struct redact_view views[REDACT_LEVELS];
	struct pattern_scratch *scratch; /* created on first use */
	uint64_t deadline;               /* end of the search for patterns, clock_thread() */
	struct claim *claim; /* counts the memory; freeing it does not reduce the claim */
	int error;           /* -E2BIG, -ENOMEM: some ranges are missing */
};

/* Adds a range that is private whatever its text is. kind: KIND_MEMBER. */
void redact_ranges_add(struct redact_ranges *f, size_t from, size_t to, int kind);
/* Searches a part of a text. offset: where the part begins in the text. */
void redact_ranges_in(struct redact_ranges *f, struct span part, size_t offset);
/* Sorts the ranges from number `first` on by beginning. False: no memory, and `error` is set. */
bool redact_ranges_sort(struct redact_ranges *f, size_t first) MUST_CHECK;
/* Call last: sorts and merges the ranges, and extends them to whole characters and escapes. */
void redact_ranges_merge(struct redact_ranges *f, struct span text);
void redact_ranges_finish(struct redact_ranges *f);
