#pragma once
/*
 * change - compares two analyses, for example before and after an upgrade.
 *
 * The result is a document of its own (docs/change.schema.json). Pairs of backends are matched by
 * their names. It tests the main figures of greedy answers, the figures over the floor, and
 * teacher-forced figures; p values are adjusted over all of them (Holm).
 */
#include <jansson.h>

#define CHANGE_ALPHA 0.01 /* for all tested figures together */

enum change_verdict {
	CHANGE_NONE,  /* no change was found */
	CHANGE_SEEN,  /* a figure changed, but none became worse */
	CHANGE_WORSE, /* a figure became worse, or a rule of the policy fails now */
	CHANGE_NOT_ENOUGH,
};

struct change_side {
	const char *name; /* name of the file */
	const json_t *document;
};

/* Makes the document; a new reference. */
json_t *change_of(const struct change_side *before, const struct change_side *after);
enum change_verdict change_verdict_of(const json_t *change);
