/*
 * plumbline judge - a model is asked about the pairs of answers whose meaning is undecided.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture_meta.h"
#include "commands/aside_store.h"
#include "commands/commands.h"
#include "commands/judge_engine.h"
#include "commands/judge_report.h"
#include "base/options.h"
#include "commands/selecting.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_MAX_TOKENS 2048 /* for those that think before they speak */
#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)
#define STOP_NS (UINT64_C(30) * 1000000000)

static const char USAGE[] =
        "usage: plumbline judge DIR --url URL --model M [options]\n"
        "\n"
        "Asks a model about the greedy pairs of answers that plumbline analyze leaves undecided: "
        "do\n"
        "both say the same? Each pair is shown in both orders, and only what is said in both "
        "counts.\n"
        "The replies are recorded in the capture; plumbline analyze DIR shows them beside its "
        "own\n"
        "figures and never among them. What has been judged is not judged again.\n"
        "\n"
        "  --url URL          where the judge is\n"
        "  --model M          which model judges; else the engine's only one\n"
        "  --backend NAME     the judge's name in the figures; M if not said. With a name of the\n"
        "                     capture's settings, or of -c FILE, --url may be left out\n"
        "  -c, --config FILE  look the name up in this configuration of a proxy\n"
        "  --api-key-env VAR  the environment variable that holds its API key; else as -c FILE "
        "says\n"
        "  --check N          ask also about N pairs that are decided, drawn by lot: how far "
        "does the\n"
        "                     judge agree?\n"
        "  --base NAME[@RUN]  --test NAME[@RUN]  --since TIME  --until TIME  --where KEY=VALUE\n"
        "                     which pairs, as of plumbline analyze\n"
        "  --limit N          so many pairs now\n"
        "  --dry-run          ask nobody: say how many requests and tokens it would be\n"
        "  --concurrency N    requests at a time; 4\n"
        "  --max-tokens N     of a reply, thinking included; 2048\n"
        "  --timeout D        of one request; 120s\n"
        "  --dialect NAME     which engine it is, if it is not recognised\n"
        "  --capture OTHERDIR record there and not in a new segment of DIR\n"
        "  --json             the summary as JSON\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline judge capture --url http://127.0.0.1:8000 --model qwen3-32b --dry-run\n"
        "  plumbline judge capture --url http://127.0.0.1:8000 --model qwen3-32b --check 100\n"
        "\n"
        "exit codes: 0 all that can be judged is, 2 command line, 3 some failed (run it again),\n"
        "4 there is nothing to judge\n";

struct options {
	const char *dir, *backend, *config, *url, *key_variable, *model, *dialect, *capture;
	struct selecting selecting;
	unsigned concurrency;
	uint64_t limit, checks, max_tokens, timeout_ns;
	bool dry_run, json, help;
};

enum {
	OPTION_BACKEND = 256,
	OPTION_URL,
	OPTION_KEY,
	OPTION_MODEL,
	OPTION_CHECK,
	OPTION_LIMIT,
	OPTION_DRY_RUN,
	OPTION_CONCURRENCY,
	OPTION_MAX_TOKENS,
	OPTION_TIMEOUT,
	OPTION_DIALECT,
	OPTION_CAPTURE,
	OPTION_JSON
};

static const struct option OPTIONS[] = {
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"config", required_argument, NULL, 'c'},
        {"url", required_argument, NULL, OPTION_URL},
        {"api-key-env", required_argument, NULL, OPTION_KEY},
        {"model", required_argument, NULL, OPTION_MODEL},
        {"check", required_argument, NULL, OPTION_CHECK},
        SELECTING_FLAGS,
        {"limit", required_argument, NULL, OPTION_LIMIT},
        {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
        {"concurrency", required_argument, NULL, OPTION_CONCURRENCY},
        {"max-tokens", required_argument, NULL, OPTION_MAX_TOKENS},
        {"timeout", required_argument, NULL, OPTION_TIMEOUT},
        {"dialect", required_argument, NULL, OPTION_DIALECT},
        {"capture", required_argument, NULL, OPTION_CAPTURE},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

/* Flags that keep a word; NULL: another. */
static const char **word_of(struct options *o, int flag)
{
	switch (flag) {
	case OPTION_BACKEND:
		return &o->backend;
	case 'c':
		return &o->config;
	case OPTION_URL:
		return &o->url;
	case OPTION_KEY:
		return &o->key_variable;
	case OPTION_MODEL:
		return &o->model;
	case OPTION_DIALECT:
		return &o->dialect;
	case OPTION_CAPTURE:
		return &o->capture;
	default:
		return NULL;
	}
}

/* NULL, or the problem. */
static char *take_option(void *arg, int flag, const char *value)
{
	struct options *o = arg;
	const char **word = word_of(o, flag);
	uint64_t n = o->concurrency;
	char *problem = NULL;
	if (word) {
		*word = value;
		return NULL;
	}
	if (selecting_has(flag)) {
		return selecting_take(&o->selecting, flag, value);
	}
	switch (flag) {
	case OPTION_CHECK:
		return options_number("check", value, 0, JUDGE_CHECKS_LIMIT, &o->checks);
	case OPTION_LIMIT:
		return options_number("limit", value, 1, UINT64_MAX - 1, &o->limit);
	case OPTION_DRY_RUN:
		o->dry_run = true;
		return NULL;
	case OPTION_CONCURRENCY:
		problem = options_number("concurrency", value, 1, JUDGE_CONCURRENCY_LIMIT, &n);
		o->concurrency = (unsigned)n;
		return problem;
	case OPTION_MAX_TOKENS:
		return options_number("max-tokens", value, 1, 1000000, &o->max_tokens);
	case OPTION_TIMEOUT:
		return options_duration("timeout", value, &o->timeout_ns);
	case OPTION_JSON:
		o->json = true;
		return NULL;
	default:
		never("a flag of the table that nobody takes");
	}
}

static char *parse_options(int argc, char **argv, struct options *ret)
{
	struct operands rest = {0};
	char *problem = options_read(argc, argv, OPTIONS, take_option, ret, &rest);
	ret->help = rest.help;
	if (problem || ret->help) {
		return problem;
	}
	if (rest.n != 1) {
		return xstrdup(rest.n ? "one capture's directory is wanted"
		                      : "which capture? Give its directory");
	}
	ret->dir = rest.words[0];
	bool known = ret->url || ret->backend || ret->dry_run;
	return known ? NULL : xstrdup("who is to judge? Give --url URL and --model M");
}

/* All that one run needs; finished whole, however far it came. */
struct run {
	struct options *o;
	struct capture *capture;
	struct analysis_options analysis;
	struct judge_list list;
	struct judge_engine engine;
	struct judge_job_settings job;
	struct aside_store store;
	struct judge_tally tally;
};

static int open_capture(struct run *r)
{
	struct options *o = r->o;
	char *error = selecting_parse(&o->selecting, &r->analysis);
	if (error) {
		return commands_fail("judge", EXIT_USAGE, error);
	}
	r->capture = aside_capture(o->dir, o->capture, &error);
	if (!r->capture) {
		return commands_fail("judge", EXIT_USAGE, error);
	}
	error = selecting_resolve(&o->selecting, r->capture, &r->analysis);
	return error ? commands_fail("judge", EXIT_USAGE, error) : EXIT_PASS;
}

/* Under which its verdicts go. */
static const char *name_of(const struct options *o)
{
	return o->backend ? o->backend : o->model;
}

static int make_list(struct run *r)
{
	const struct judge_wish wish = {
	        .judge = r->engine.backend.name ? r->engine.backend.name : name_of(r->o),
	        .checks = r->o->checks,
	        .limit = r->o->limit,
	};
	judge_list_make(r->capture, &r->analysis, &wish, &r->list);
	return EXIT_PASS;
}

static int find_engine(struct run *r)
{
	const struct options *o = r->o;
	const char *name = name_of(o);
	const struct judge_engine_wish wish = {
	        .name = name ? name : "judge",
	        .config = o->config,
	        .url = o->url,
	        .key_variable = o->key_variable,
	        .dialect = o->dialect,
	        .model = o->model,
	};
	char *problem = NULL;
	int code = judge_engine_find(r->capture, &wish, &r->engine, &problem);
	return code == EXIT_PASS ? EXIT_PASS : commands_fail("judge", code, problem);
}

static struct judge_report report_of(const struct run *r, bool asked)
{
	return (struct judge_report){
	        .dir = r->o->dir,
	        .to = r->o->capture,
	        .judge = r->engine.backend.name ? r->engine.backend.name : name_of(r->o),
	        .url = r->engine.backend.url,
	        .model = r->engine.model ? r->engine.model : r->o->model,
	        .list = &r->list,
	        .tally = asked ? &r->tally : NULL,
	        .lost = r->store.ledger ? ledger_lost(r->store.ledger) : 0,
	};
}

static int open_recorder(struct run *r)
{
	const struct options *o = r->o;
	const struct judge_report report = report_of(r, false);
	char *settings = judge_report_settings(&report);
	char *error = aside_open(o->dir, o->capture, settings, "opinions", &r->store);
	free(settings);
	if (error) {
		return commands_fail("judge", EXIT_RUNTIME, error);
	}
	r->job.recorder = r->store.recorder;
	r->job.book = r->store.book;
	return EXIT_PASS;
}

static int work(struct run *r)
{
	const struct options *o = r->o;
	struct judge_job_settings *job = &r->job;
	struct judge_engine *engine = &r->engine;
	job->backend = &engine->backend;
	job->juror.dialect = engine->dialect;
	job->juror.line = engine->line;
	job->juror.model = engine->model;
	job->juror.max_tokens = (int)o->max_tokens;
	job->juror.timeout_ms = MAX(o->timeout_ns / 1000000, 1);
	bool alone = job->juror.dialect->abilities & ABILITY_ONE_AT_A_TIME;
	job->concurrency = alone ? 1 : o->concurrency;
	const struct judge_report plan = report_of(r, false);
	judge_report_plan(&plan, stderr);
	char *problem = judge_work(r->capture, &r->list, job, &r->tally);
	recorder_stop(job->recorder, STOP_NS);
	return problem ? commands_fail("judge", EXIT_RUNTIME, problem) : EXIT_PASS;
}

static int conclude(const struct run *r, bool asked)
{
	const struct judge_report report = report_of(r, asked);
	const struct judge_list *l = &r->list;
	const struct judge_tally *t = &r->tally;
	(r->o->json ? judge_report_json : judge_report_text)(&report, stdout);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return commands_fail(
		        "judge", EXIT_RUNTIME, xstrdup("the summary can't be written"));
	}
	if (t->failed.total > 0 || t->stopped || t->gone || report.lost > 0) {
		return EXIT_RUNTIME;
	}
	bool nothing = judge_list_pairs(l) + l->already + l->checks_already == 0;
	bool all_decided = l->pairs > 0 && l->undecided == 0;
	return nothing && !all_decided ? EXIT_NOT_ENOUGH : EXIT_PASS;
}

static int run_asking(struct run *r)
{
	int code = find_engine(r);
	if (code == EXIT_PASS) {
		code = make_list(r);
	}
	bool asks = code == EXIT_PASS && judge_list_pairs(&r->list) > 0;
	if (asks) {
		code = open_recorder(r);
	}
	if (asks && code == EXIT_PASS) {
		code = work(r);
	}
	return code == EXIT_PASS ? conclude(r, asks) : code;
}

static int run_dry(struct run *r)
{
	int code = make_list(r);
	return code == EXIT_PASS ? conclude(r, false) : code;
}

static int run(struct options *o)
{
	struct run r = {.o = o};
	int code = open_capture(&r);
	if (code == EXIT_PASS) {
		code = o->dry_run ? run_dry(&r) : run_asking(&r);
	}
	judge_tally_finish(&r.tally);
	judge_list_finish(&r.list);
	ledger_destroy(r.store.ledger);
	judge_engine_finish(&r.engine);
	capture_close(r.capture);
	return code;
}

int command_judge(int argc, char **argv)
{
	struct options o = {
	        .concurrency = DEFAULT_CONCURRENCY,
	        .limit = UINT64_MAX,
	        .max_tokens = DEFAULT_MAX_TOKENS,
	        .timeout_ns = DEFAULT_TIMEOUT_NS,
	};
	char *problem = parse_options(argc, argv, &o);
	int code = EXIT_PASS;
	if (problem) {
		fprintf(stderr, "plumbline judge: %s; see plumbline judge --help\n", problem);
		free(problem);
		code = EXIT_USAGE;
	} else if (o.help) {
		fputs(USAGE, stdout);
	} else {
		code = run(&o);
	}
	selecting_finish(&o.selecting);
	return code;
}
