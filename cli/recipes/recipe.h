#pragma once
/*
 * recipe - what `plumbline compare`, `determinism`, `diff`, `sweep`, `stress` and `ablate` are made of: suites, labelled targets, a campaign
 * over both, and an analysis of what it recorded.
 *
 *	recipe_read()    the command line; the verb checks what is its own
 *	recipe_send()    the campaign
 *	recipe_report()  the analysis: result, files, exit code as analyze has them
 *	recipe_finish()  in any case
 *
 * The first target is the base, unless a verb says otherwise: it gets the role of a reference, the others are candidates, so that
 * each stands on trial before it, also when `plumbline analyze` reads the capture later.
 */
#include <jansson.h>

#include "cli/analyze_run.h"
#include "cli/recipes/borrowed.h"
#include "cli/replay/campaign.h"
#include "base/options.h"
#include "cli/recipes/recipe_target.h"

#define RECIPE_SOURCES 64

struct recipe;
struct recipe_verb {
	struct verb verb;   /* its rows, and those below; about, examples, exit codes */
	size_t least, most; /* targets */
	uint32_t repeats;   /* unless somebody says otherwise */
	char *(*check)(const struct recipe *r); /* of recipe_run(): NULL, or a problem; or NULL */
};

/* Rows for struct recipe: what all recipes have; and --temperature and --seeds, of those that may
 * ask for sampled answers. */
extern const struct option_row RECIPE_OPTIONS[], RECIPE_SAMPLED_OPTIONS[];
#define RECIPE_OPERANDS                                                                            \
	OPT_OPERAND("SUITE",                                                                       \
	        "a suite's file or its name (reasoning), a benchmark's file, a capture's "         \
	        "directory, or another source of plumbline replay"),                               \
	        OPT_OPERAND("TARGET",                                                              \
	                "[LABEL=]URL, or a NAME of -c FILE. Details follow after commas: "         \
	                "model=NAME, dialect=NAME, api-key-env=NAME, align=HOW, "                  \
	                "set.MEMBER=JSON. ollama:MODEL, vllm-mlx:MODEL and gguf:MODEL are "        \
	                "servers at their usual ports")
/* Of all whose exit code is the verdict alone. */
#define RECIPE_EXIT_CODES                                                                          \
	"the verdict: 0 SAME, 1 DIFFERENT, 4 UNCLEAR, or nothing to send; " RECIPE_ERROR_CODES
#define RECIPE_ERROR_CODES                                                                         \
	"2 command line, no such model; 3 unreachable, interrupted, or the capture can't be "      \
	"read; with --policy as plumbline analyze"

struct recipe {
	const struct recipe_verb *verb;
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
	const char *python; /* that has Math-Verify; NULL: the system's */
	const char *quant;  /* a label of what is asked, which the report tells; or NULL */
	bool html;          /* a page is written into the capture's directory */
	struct member_setting set[RECIPE_MEMBERS]; /* in the requests to all; strings are ours */
	size_t n_set;
	bool sampled; /* a temperature was given: repeats have seeds */
	bool no_chat;
	struct operands line;
	/* Before each pass, after its seed has been set; or NULL. */
	void (*on_pass)(void *arg, struct campaign_target *t, uint32_t repeat);
	void *pass_arg;
	struct campaign campaign;
};

/* to: the verb's struct, with r inside. Also prints --help, or what is wrong. False: return
 * *ret_code. recipe_finish() in both cases. */
bool recipe_read(struct recipe *r, const struct recipe_verb *verb, void *to, int argc, char **argv,
        int *ret_code) MUST_CHECK;
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
