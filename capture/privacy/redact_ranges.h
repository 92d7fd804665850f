#pragma once
/*
 * redact_ranges - what a policy takes out of a text, as ranges of it. Private to redact.c.
 *
 * Shapes and own patterns are looked for in the text as it is, and again with its escapes undone
 * (redact_view.h), level by level. Own patterns have a limit of time, and all have one of number
 * and of memory: over any the search says so in `error`.
 */
#include "capture/privacy/redact_policy.h"
#include "capture/privacy/redact_view.h"

#define REDACT_LEVELS 3

enum { KIND_PATTERN = N_SECRETS, KIND_MEMBER };

struct range {
	size_t from, to;
	int kind; /* a shape, or above */
};

struct redact_ranges {
	const struct redact_policy *policy;
	struct range *ranges;
	size_t n, cap;
	struct redact_view views[REDACT_LEVELS];
	struct pattern_scratch *scratch; /* made when it is needed */
	uint64_t deadline;               /* of clock_mono(), for own patterns */
	struct claim *claim;             /* what it takes is on it, and stays so when it is freed */
	int error;                       /* -E2BIG, -ENOMEM: what was found is not all */
};

/* By its place and not by what it says: KIND_MEMBER. */
void redact_ranges_add(struct redact_ranges *f, size_t from, size_t to, int kind);
/* Looks at a part of a text that begins at offset. */
void redact_ranges_in(struct redact_ranges *f, struct span part, size_t offset);
/* Puts the ranges of the whole text in order, apart from each other, of whole characters and
 * escapes. */
void redact_ranges_settle(struct redact_ranges *f, struct span text);
void redact_ranges_finish(struct redact_ranges *f);
