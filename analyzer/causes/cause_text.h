#pragma once
/*
 * cause_text - the texts of a cause: what it is, what to try, what confirms it. Private to the
 * causes.
 */
#include "analyzer/causes/cause_tests.h"
#include "analyzer/causes/draws_text.h"

struct cause_finding {
	enum cause_kind kind;
	enum cause_side side;
	enum cause_side_from side_from;
	enum cause_test test; /* N_CAUSE_TESTS: no test was needed */
	/* The draws of `side`, if they show the cause; NULL: other signs show it. */
	const struct draws_group *draws;
	enum draws_finding draws_finding; /* what the draws show; not set if draws is NULL */
};

/* Fills *ret for a finding of cause_verdict.c. The caller frees the texts, or gives them to
 * cause_list_add(). */
void cause_text(const struct analysis_group *g, const struct cause_tests *t,
        const struct cause_finding *f, struct cause *ret);

/* The following is for cause_text.c and cause_text_tokens.c only. */

struct cause_context {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	enum cause_test test; /* the test that shows the cause; N_CAUSE_TESTS: none was needed */
	const char *name; /* name of `side`, or both names; if the side is unknown, the test's */
};

/* How the texts of one cause are made. */
struct cause_telling {
	/* Sets n and text of *ret; also phrase, fix, confirm and greedy_n, if neither
	 * cause_words() nor the members below give them. NULL: cause_text_tokens() has this
	 * cause. */
	void (*tell)(const struct cause_context *t, struct cause *ret);
	/* pairs with this trace show the cause; N_TRACES: no single trace shows it */
	enum cause_trace trace;
	bool all_greedy; /* all pairs that the cause explains have greedy answers */
	/* Makes the command that confirms the cause. NULL: `again` or `tell` gives it. */
	char *(*confirm)(const struct cause_context *t);
	/* Options of `plumbline replay`. A replay to `side` with these options confirms the
	 * cause. NULL: a replay does not confirm it. */
	const char *again;
};

/* Makes pairs with this trace the examples of the cause: sets exchanges and traces of *ret. */
void cause_text_show(const struct cause_context *t, enum cause_trace trace, struct cause *ret);
/* For cause_telling.confirm. Commands that probe the engine of `side`, or both engines, or that
 * let the base score the test's answers. NULL: there is no such command. The caller frees the
 * command. */
char *cause_text_probe(const struct cause_context *t);
char *cause_text_both_probes(const struct cause_context *t);
char *cause_text_score(const struct cause_context *t);

/* In cause_text_tokens.c: how the causes that tokens and circumstances show are told. Never
 * NULL; `tell` is NULL for causes of cause_text.c. */
const struct cause_telling *cause_text_tokens(enum cause_kind kind);
