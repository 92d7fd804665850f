#pragma once
/*
 * change - compares two analyses of different captures, for example before and after an upgrade.
 *
 * The result is a document of its own (docs/change.schema.json). Pairs of backends are matched by
 * their names. These figures of two backends are tested, if both analyses have them with an
 * interval; p values are adjusted over all of them (Holm):
 *
 *	- main figures (metric.is_main) of greedy answers
 *	- the excesses of greedy answers over the noise floor
 *	- teacher-forced main figures, k3, and k3 over its floor
 *
 * The analyses may be saved ones and are not trusted. Pure.
 */
#include <jansson.h>

#define CHANGE_ALPHA 0.01 /* for all tested figures together */

enum change_verdict {
	CHANGE_NONE,  /* no change was found */
	CHANGE_SEEN,  /* a figure changed, none became worse */
	CHANGE_WORSE, /* a figure became worse, or a rule of the policy fails that did not fail */
	CHANGE_NOT_ENOUGH, /* no figure could be tested */
};

struct change_side {
	const char *name; /* name of the file */
	const json_t *document;
};

/* Makes the comparison's document; a new reference. */
json_t *change_of(const struct change_side *before, const struct change_side *after);
/* Reads the verdict of a comparison; CHANGE_NOT_ENOUGH if there is no valid one. */
enum change_verdict change_verdict_of(const json_t *change);
