#pragma once
/*
 * cause_text_parts - what those who put causes in words have at hand. Private to cause_text.c and
 * cause_text_tokens.c.
 */
#include "analyzer/causes/cause_tests.h"

struct cause_context {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	const char *name; /* of the side that it is about; of the test where that is not known */
};

typedef void (*cause_text_fn)(const struct cause_context *t, struct cause *ret);

/* What the pairs that it explains show. */
void cause_text_show(const struct cause_context *t, enum cause_trace trace, struct cause *ret);
/* Commands, or NULL; the caller frees them. */
char *cause_text_probe(const struct cause_context *t);
char *cause_text_both_probes(const struct cause_context *t);
char *cause_text_again(
        const struct cause_context *t, const char *how); /* to that side, with these options */
char *cause_text_score(const struct cause_context *t);

/* Of causes that tokens and circumstances show; NULL: it is another's. */
cause_text_fn cause_text_tokens(enum cause_kind kind);
