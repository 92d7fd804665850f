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
	/* The draws of that side, if they show the cause; NULL: other signs show it. */
	const struct draws_group *draws;
	enum draws_finding draws_finding; /* unless draws is NULL: what they show */
};

/* Fills *ret for a finding of cause_verdict.c. The caller frees the texts, or gives them to
 * cause_list_add(). */
void cause_text(const struct analysis_group *g, const struct cause_tests *t,
        const struct cause_finding *f, struct cause *ret);

/* What follows is for cause_text.c and cause_text_tokens.c. */

struct cause_context {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	enum cause_test test; /* the test that shows the cause; N_CAUSE_TESTS: none was needed */
	const char *name; /* the name of `side`, or both names; if it is not known, the test's */
};

/* How one cause is put in words. */
struct cause_telling {
	/* Sets n and text of *ret. It also sets phrase, fix, confirm and greedy_n where neither
	 * cause_words() nor the members below give them. NULL: cause_text_tokens() has this
	 * cause. */
	void (*tell)(const struct cause_context *t, struct cause *ret);
	/* pairs with this trace show the cause; N_TRACES: no single one does */
	enum cause_trace trace;
	bool all_greedy; /* all pairs that the cause explains are of greedy answers */
	/* Makes the command that confirms the cause. NULL: `again`, or `tell`, makes it. */
	char *(*confirm)(const struct cause_context *t);
	/* Options of `plumbline replay`: sending the requests again to `side` with these options
	 * confirms the cause. NULL: a replay does not. */
	const char *again;
};

/* Makes the pairs with this trace the examples of the cause: sets exchanges and traces of *ret. */
void cause_text_show(const struct cause_context *t, enum cause_trace trace, struct cause *ret);
/* For cause_telling.confirm: commands that probe the engine of `side` or both engines, or that let
 * the base score the test's answers. NULL: there is no such command. The caller frees it. */
char *cause_text_probe(const struct cause_context *t);
char *cause_text_both_probes(const struct cause_context *t);
char *cause_text_score(const struct cause_context *t);

/* In cause_text_tokens.c: the causes that tokens and circumstances show. Never NULL; `tell` is not
 * set for causes of cause_text.c. */
const struct cause_telling *cause_text_tokens(enum cause_kind kind);
