#pragma once
/*
 * change - two analyses beside each other: yesterday's and today's, before an upgrade and after.
 *
 * Makes a document of its own (docs/change.schema.json), which the forms show. Pairs of backends are matched by their names.
 * Tested are the main figures of greedy answers, what is left over the floor, and teacher-forced figures; p values are
 * adjusted over all of them (Holm).
 */
#include <jansson.h>

#define CHANGE_ALPHA 0.01 /* over all figures that are tested */

enum change_verdict {
	CHANGE_NONE,  /* none is shown */
	CHANGE_SEEN,  /* something moved, nothing of it for the worse */
	CHANGE_WORSE, /* a figure did, or a rule of the policy fails that did not */
	CHANGE_NOT_ENOUGH,
};

struct change_side {
	const char *name; /* the file's */
	const json_t *document;
};

/* The document; the caller's. */
json_t *change_of(const struct change_side *before, const struct change_side *after);
enum change_verdict change_verdict_of(const json_t *change);
