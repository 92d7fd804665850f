#pragma once
/*
 * recipe - shared by `plumbline compare`, `determinism`, `diff`, `sweep`, `stress` and `ablate`:
 * suites, labelled targets, a campaign over both, and an analysis of the results.
 *
 *	recipe_read()    reads the command line; the command checks its own options
 *	recipe_send()    runs the campaign
 *	recipe_report()  analyzes: prints the result, writes files, returns analyze's exit code
 *	recipe_finish()  must be called in any case
 *
 * The first target is the base, unless a command chooses another one. The base is recorded as a
 * reference and the others as candidates, so that each candidate is compared with the base, also
 * when `plumbline analyze` reads the capture later.
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
	struct verb verb;   /* its own and the shared option rows; about, examples, exit codes */
	size_t least, most; /* targets */
	uint32_t repeats;   /* the default */
	/* for recipe_run(): returns NULL, or a problem; may be NULL */
	char *(*check)(const struct recipe *r);
};

/* Rows for struct recipe: RECIPE_OPTIONS for all; --temperature and --seeds for recipes with
 * sampled answers. */
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
/* For recipes whose exit code is the verdict. */
#define RECIPE_EXIT_CODES                                                                          \
	"the verdict: 0 SAME, 1 DIFFERENT, 4 UNCLEAR, or nothing was sent; " RECIPE_ERROR_CODES
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
	char *found[RECIPE_SOURCES]; /* paths of suites that were given by name; else NULL */
	size_t n_sources;
	unsigned levels[CAMPAIGN_LEVELS];
	size_t n_levels;
	const char *labels[2]; /* of the first two targets, or NULL */
	struct borrowed borrowed;
	const char *template;
	const char *python; /* a Python interpreter that has Math-Verify; NULL: the system's */
	const char *quant;  /* a label of the precision, shown in the report; or NULL */
	bool html;          /* a page is written into the capture's directory */
	struct member_setting set[RECIPE_MEMBERS]; /* members set in all requests; owned */
	size_t n_set;
	bool sampled; /* a temperature was given, so repeats have seeds */
	bool no_chat;
	struct operands line;
	/* Called before each repeat of a series, after its seed was set; or NULL. */
	void (*on_pass)(void *arg, struct campaign_target *t, uint32_t repeat);
	void *pass_arg;
	struct campaign campaign;
};

/* to: the command's struct, which contains r; options are stored in it. Prints --help or an
 * error. If it returns false, the command must end with *ret_code. Call recipe_finish() in both
 * cases. */
bool recipe_read(struct recipe *r, const struct recipe_verb *verb, void *to, int argc, char **argv,
        int *ret_code) MUST_CHECK;
/* Makes this target the base by moving it to the front. Before recipe_send(). */
void recipe_set_base(struct recipe *r, size_t target);
/* The number of the target with this label; n_targets: none. */
size_t recipe_find(const struct recipe *r, const char *label);

/* These return exit codes; errors were printed. recipe_prepare() sends nothing; recipe_send()
 * prepares and sends. */
int recipe_prepare(struct recipe *r) MUST_CHECK;
int recipe_send(struct recipe *r) MUST_CHECK;
int recipe_report(struct recipe *r, const struct analyze_additions *more) MUST_CHECK;
void recipe_finish(struct recipe *r);

/* Reads, sends and reports, for a command without options of its own. */
int recipe_run(const struct recipe_verb *verb, int (*report)(struct recipe *r), int argc,
        char **argv) MUST_CHECK;
/* recipe_report() without additions. */
int recipe_report_plain(struct recipe *r) MUST_CHECK;
