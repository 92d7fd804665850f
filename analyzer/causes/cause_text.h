#pragma once
/*
 * cause_text - the texts of a cause: what it is, what to try, what confirms it. For the files of
 * causes/ only.
 */
#include "analyzer/causes/cause_tests.h"
#include "analyzer/causes/draws_text.h"

struct cause_finding {
	enum cause_kind kind;
	enum cause_side side;
	enum cause_side_from side_from;
	enum cause_test test; /* N_CAUSE_TESTS: the cause was counted, not tested */
	/* if the draws of `side` show the cause: these draws; else NULL */
	const struct draws_group *draws;
	enum draws_finding draws_finding; /* what they show; not set if `draws` is NULL */
};

/* Sets all members of *ret for a finding of cause_verdict.c. The caller owns the texts of *ret, and
 * passes them on with cause_list_add(). */
void cause_text(const struct analysis_group *g, const struct cause_tests *t,
        const struct cause_finding *f, struct cause *ret);

/* The following is for cause_text.c and cause_text_tokens.c only. */

struct cause_context {
	const struct analysis_group *g;
	const struct causes *c;
	const struct cause_tests *t;
	enum cause_side side;
	enum cause_test test; /* as in struct cause_finding */
	/* name of `side`; both names if it is CAUSE_OF_BOTH; the test's if it is
	 * CAUSE_OF_UNKNOWN */
	const char *name;
};

/* The command that confirms a cause. */
enum cause_confirm {
	CONFIRM_BY_NOTHING, /* no command of this kind; `tell` or `again` may give one */
	CONFIRM_BY_PROBE,   /* probes the engine of `side`, or of each side that has the cause */
	CONFIRM_BY_PROBES,  /* probes both engines */
	CONFIRM_BY_SCORES,  /* one side scores the other side's answers, unless there are scores */
};

/* How the texts of one cause are made. There are two tables, one in each of the two files. Each
 * cause is in one of them; in the other table its row is empty, so `tell` is NULL. */
struct cause_telling {
	/* Sets n and text of *ret. Also sets those of phrase, fix, confirm and greedy_n that
	 * neither cause_words() nor the members below give. Not called if the draws show the
	 * cause. */
	void (*tell)(const struct cause_context *t, struct cause *ret);
	/* pairs with this trace are the examples; N_TRACES: `tell` sets the examples */
	enum cause_trace trace;
	bool all_greedy; /* all pairs that the cause explains have greedy answers */
	enum cause_confirm confirm;
	/* Only with CONFIRM_BY_NOTHING: options of the `plumbline replay` that confirms the cause.
	 * The replay is to the base if `side` is CAUSE_OF_BASE, else to the test. NULL: none. */
	const char *again;
};

/* Makes pairs with this trace the examples of the cause: sets exchanges and traces of *ret. */
static inline void cause_text_show(
        const struct cause_context *t, enum cause_trace trace, struct cause *ret)
{
	ret->exchanges = t->c->traces[trace];
	ret->traces = UINT32_C(1) << trace;
}

/* The row of the table in cause_text_tokens.c. Never NULL; `tell` is NULL if the other table has
 * the cause. */
const struct cause_telling *cause_text_tokens(enum cause_kind kind);
