#pragma once
/*
 * recipe - reads suites and labelled targets from the command line, sends all suites to all targets
 * (a campaign, replay/campaign/campaign.h), and analyzes the answers. For `plumbline compare`,
 * `determinism`, `diff`, `sweep`, `stress` and `ablate`.
 *
 *	recipe_read()    reads the command line; the command then checks its own options
 *	recipe_send()    runs the campaign
 *	recipe_report()  analyzes, prints the result and writes files
 *	recipe_finish()  must be called in any case
 *
 * The first target is the base, unless the command calls recipe_set_base(). Answers of the base are
 * recorded as a reference's, those of the others as candidates'. So a later `plumbline analyze` of
 * the capture also compares each candidate with the base.
 */
#include <jansson.h>

#include "cli/analyze_run.h"
#include "replay/campaign/campaign.h"
#include "base/options.h"
#include "cli/recipes/recipe_target.h"

#define RECIPE_SOURCES 64 /* the most */

/*
 * Options of infer-check, another tool, and the targets (recipe_target.h) that they mean:
 *
 *	--base-url URL                              URL, if there is no other target
 *	--models A=x,B=y --base-url URL             A=URL,model=x  B=URL,model=y
 *	--backends a,b --base-urls URL1,URL2        a=URL1  b=URL2
 *
 * --backend, which selects infer-check's code for an engine, has no effect: plumbline recognises
 * engines.
 */
struct borrowed {
	const char *to, *backend, *base_url, *models;
	const char *backends, *base_urls;
	char *words[CAMPAIGN_TARGETS]; /* targets as words of recipe_target.h; owned */
	size_t n;
};

struct recipe;
struct recipe_verb {
	/* option rows (its own, then the shared ones), description, examples, exit codes */
	struct verb verb;
	size_t least, most; /* the least and the most targets */
	uint32_t repeats;   /* default number of repeats */
	/* Checks what recipe_run() read. Returns NULL, or the problem. May be NULL. */
	char *(*check)(const struct recipe *r);
};

/* Option rows that fill struct recipe:
 *
 *	RECIPE_OPTIONS           for all recipes
 *	RECIPE_SAMPLED_OPTIONS   --temperature and --seeds, for recipes with sampled answers
 *	RECIPE_BORROWED_OPTIONS  infer-check's names of options; for all recipes, last */
extern const struct option_row RECIPE_OPTIONS[], RECIPE_SAMPLED_OPTIONS[],
        RECIPE_BORROWED_OPTIONS[];
/* All option rows of a recipe that compares targets and has no options of its own. */
extern const struct option_row RECIPE_COMPARISON_OPTIONS[];
#define RECIPE_OPERANDS                                                                            \
	OPT_OPERAND("SUITE",                                                                       \
	        "a suite's file or its name (reasoning), a benchmark's file, a capture's "         \
	        "directory, or another source of plumbline replay"),                               \
	        OPT_OPERAND("TARGET",                                                              \
	                "[LABEL=]URL, or a NAME of -c FILE. Details follow after commas: "         \
	                "model=NAME, dialect=NAME, api-key-env=NAME, align=HOW, "                  \
	                "set.MEMBER=JSON. ollama:MODEL, vllm-mlx:MODEL and gguf:MODEL are "        \
	                "servers at their usual ports")
/* Exit codes of recipes that end with the verdict. */
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
	/* indexed like sources: path of a suite that was given by its name, owned; else NULL */
	char *found[RECIPE_SOURCES];
	size_t n_sources;
	unsigned levels[CAMPAIGN_LEVELS]; /* as campaign.levels */
	size_t n_levels;
	const char *labels[2]; /* labels of the first two targets; or NULL */
	struct borrowed borrowed;
	const char *template; /* name of the chat template with which no_chat writes chats */
	const char *python;   /* a Python interpreter that has Math-Verify; NULL: the system's */
	const char *quant;    /* the precision that the report shows; or NULL */
	bool html;            /* write a page into the capture's directory */
	struct member_setting set[RECIPE_MEMBERS]; /* members to set in all requests; owned */
	size_t n_set;
	bool sampled; /* a temperature was given, so each repeat has a seed */
	bool no_chat; /* send chats as completions */
	struct operands line;
	/* As campaign.on_pass; called after the pass's seed was set. */
	void (*on_pass)(void *arg, size_t target, uint32_t repeat);
	void *pass_arg;
	struct campaign campaign;
};

/* Reads the command line into *to, the command's own struct, which contains *r. False: --help or an
 * error was printed, and the command must return *ret_code. Call recipe_finish() in both cases. */
bool recipe_read(struct recipe *r, const struct recipe_verb *verb, void *to, int argc, char **argv,
        int *ret_code) MUST_CHECK;
/* Makes the target with this index the base, by moving it to the front. Call before
 * recipe_prepare() and recipe_send(). */
void recipe_set_base(struct recipe *r, size_t target);
/* The index of the target with this label. Of a target without a label, its URL or name counts.
 * n_targets: there is none. */
size_t recipe_find(const struct recipe *r, const char *label);

/* Each returns an exit code; errors were printed.
 *
 *	recipe_prepare()  identifies the targets and reads the sources; sends nothing
 *	recipe_send()     recipe_prepare(), then sends
 *	recipe_report()   returns analyze's exit code; more: NULL, or additions to the report */
int recipe_prepare(struct recipe *r) MUST_CHECK;
int recipe_send(struct recipe *r) MUST_CHECK;
int recipe_report(struct recipe *r, const struct analyze_additions *more) MUST_CHECK;
void recipe_finish(struct recipe *r);

/* Does all that a command without options of its own does: reads the command line, sends, and calls
 * `report`. Returns an exit code. */
int recipe_run(const struct recipe_verb *verb, int (*report)(struct recipe *r), int argc,
        char **argv) MUST_CHECK;
/* The first calls recipe_report() without additions. The second adds a table that compares each
 * target with the base. */
int recipe_report_plain(struct recipe *r) MUST_CHECK;
int recipe_report_standings(struct recipe *r) MUST_CHECK;
