#pragma once
/*
 * cause_text - the texts of a cause: what it is, what to try, what confirms it. Private to the
 * causes.
 */
#include "analyzer/causes/cause_tests.h"
#include "analyzer/causes/draws_side.h"

struct cause_finding {
	enum cause_kind kind;
	enum cause_side side;
	enum cause_side_from side_from;
	enum cause_test test; /* N_CAUSE_TESTS: no test was needed */
	/* The draws of the side that show it; NULL: other signs do. */
	const struct draws_group *draws;
	enum draws_finding draws_finding;
};

/* The caller frees the texts. */
void cause_text(const struct analysis_group *g, const struct cause_tests *t,
        const struct cause_finding *f, struct cause *ret);

/* What follows is for cause_text.c and cause_text_tokens.c. */

struct cause_context {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	enum cause_test test; /* that shows it; N_CAUSE_TESTS: none was needed */
	const char *name;     /* of the side, or the sides; of the test where they are not known */
};

/* How one cause is put in words. */
struct cause_telling {
	/* Sets n, the text, and what the rest of this and cause_words() leave open. NULL: it is in
	 * the other file. */
	void (*tell)(const struct cause_context *t, struct cause *ret);
	enum cause_trace trace; /* that shows it; N_TRACES: none alone */
	bool all_greedy;        /* all pairs that it explains are of greedy answers */
	/* The command that confirms it: NULL, or one with these options of `replay` to that
	 * side. */
	char *(*confirm)(const struct cause_context *t);
	const char *again;
};

/* The pairs that it explains show that. */
void cause_text_show(const struct cause_context *t, enum cause_trace trace, struct cause *ret);
/* Commands, or NULL; the caller frees them. */
char *cause_text_probe(const struct cause_context *t);
char *cause_text_both_probes(const struct cause_context *t);
char *cause_text_score(const struct cause_context *t);

/* Of causes that tokens and circumstances show. */
const struct cause_telling *cause_text_tokens(enum cause_kind kind);
