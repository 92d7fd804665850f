#pragma once
/*
 * cause_telling - what those who put causes in words have at hand. Private to cause_tell.c and
 * cause_tell_tokens.c.
 */
#include "analyzer/causes/cause_tests.h"

struct telling {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	const char *name; /* of the side that it is about; of the test where that is not known */
};

typedef void (*cause_tell_fn)(const struct telling *t, struct cause *ret);

/* What the pairs that it explains show. */
void telling_show(const struct telling *t, enum cause_trace trace, struct cause *ret);
/* Commands, or NULL; the caller frees them. */
char *telling_probe(const struct telling *t);
char *telling_both_probes(const struct telling *t);
char *telling_again(
        const struct telling *t, const char *how); /* to that side, with these options */
char *telling_score(const struct telling *t);

/* Of causes that tokens and circumstances show; NULL: it is another's. */
cause_tell_fn cause_tell_tokens(enum cause_kind kind);
