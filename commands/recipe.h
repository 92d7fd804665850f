#pragma once
/*
 * recipe - what `plumbline compare`, `determinism`, `diff`, `sweep`, `stress` and `ablate` are made of: suites, labelled targets, a campaign
 * over both, and an analysis of what it recorded.
 *
 *	recipe_parse()   the command line; the verb looks at what is its own
 *	recipe_send()    the campaign
 *	recipe_report()  the analysis: result, files, exit code as analyze has them
 *	recipe_finish()  in any case
 *
 * The first target is the base, unless a verb says otherwise: it gets the role of a reference, the others are candidates, so that
 * each stands on trial before it, also when `plumbline analyze` reads the capture later.
 */
#include <jansson.h>

#include "commands/analyze_run.h"
#include "commands/borrowed.h"
#include "commands/campaign.h"
#include "base/options.h"
#include "commands/recipe_target.h"

#define RECIPE_SOURCES 64

struct recipe;
struct recipe_verb {
	const char *name;
	const char *usage;    /* the whole text of --help, but for what all recipes share */
	const char *examples; /* behind it */
	size_t least, most;   /* targets */
	uint32_t repeats;     /* unless somebody says otherwise */
	const char *levels;   /* of --concurrency, as the help tells them; NULL: 4 */
	bool greedy;          /* sampled answers are refused, and no help offers them */
	const struct option *
	        flags; /* of its own, ended by zeros; their vals from RECIPE_OWN_FLAGS on; or NULL */
	options_take_fn take;                   /* of these */
	char *(*check)(const struct recipe *r); /* of recipe_run(): NULL, or a problem; or NULL */
};
#define RECIPE_OWN_FLAGS 1024

struct recipe {
	const struct recipe_verb *verb;
	void *arg; /* of the verb's own flags */
	struct replay_options options;
	struct analyze_options report;
	struct campaign_target targets[CAMPAIGN_TARGETS];
	struct recipe_target words[CAMPAIGN_TARGETS];
	size_t n_targets;
	const char *sources[RECIPE_SOURCES]; /* files and captures */
	char *found[RECIPE_SOURCES]; /* of suites that were called by their names; else NULL */
	size_t n_sources;
	unsigned levels[CAMPAIGN_LEVELS];
	size_t n_levels;
	const char *labels[2]; /* of the first two targets, or NULL */
	struct borrowed borrowed;
	const char *template;
	const char *quant; /* a label of what is asked, which the report tells; or NULL */
	bool html;         /* a page is written into the capture's directory */
	struct member_setting set[RECIPE_MEMBERS]; /* in the requests to all; strings are ours */
	size_t n_set;
	bool sampled;    /* a temperature was given: repeats have seeds */
	bool has_seeds;  /* their number was given */
	bool align_said; /* and is not for us to choose */
	bool no_chat, help;
	/* Before each pass, after its seed has been set; or NULL. */
	void (*on_pass)(void *arg, struct campaign_target *t, uint32_t repeat);
	void *pass_arg;
	struct campaign campaign;
};

/* verb and arg outlive it. NULL, or the problem (the caller frees it). With help set nothing else is. */
char *recipe_parse(struct recipe *r, const struct recipe_verb *verb, void *arg, int argc,
        char **argv) MUST_CHECK;
void recipe_usage(const struct recipe_verb *verb);
/* Makes the target of that number the base: it goes to the front. Before recipe_send(). */
void recipe_set_base(struct recipe *r, size_t target);
/* The number of the target that is called so; n_targets: none is. */
size_t recipe_find(const struct recipe *r, const char *label);

/* Exit codes; what was wrong has been said. The first makes the campaign ready, and sends nothing; the second both. */
int recipe_prepare(struct recipe *r) MUST_CHECK;
int recipe_send(struct recipe *r) MUST_CHECK;
int recipe_report(struct recipe *r, const struct analyze_additions *more) MUST_CHECK;
void recipe_finish(struct recipe *r);

/* All of it, for a verb without flags of its own: parse, send, report. */
int recipe_run(const struct recipe_verb *verb, int (*report)(struct recipe *r), int argc,
        char **argv) MUST_CHECK;
/* As a recipe's report: with nothing more. */
int recipe_report_plain(struct recipe *r) MUST_CHECK;
