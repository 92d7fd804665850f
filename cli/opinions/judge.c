/*
 * plumbline judge - asks a model, or a library, about the pairs of answers whose meaning is undecided.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture_meta.h"
#include "cli/opinions/aside_store.h"
#include "cli/commands.h"
#include "cli/opinions/crew.h"
#include "cli/opinions/judge_mathematics.h"
#include "cli/opinions/judge_report.h"
#include "cli/opinions/opinion_engine.h"
#include "base/options.h"
#include "cli/capture/selecting.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_MAX_TOKENS 2048 /* for models that reason before they answer */
#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)
#define DEFAULT_MEMORY_MB 1024
#define STOP_NS (UINT64_C(30) * 1000000000)

struct options {
	const char *dir, *backend, *config, *url, *key_variable, *model, *dialect, *capture;
	const char *with, *python; /* a library in place of an engine */
	struct selecting selecting;
	unsigned concurrency;
	uint64_t limit, checks, max_tokens, timeout_ns, memory_mb; /* 0: the default */
	bool dry_run, json;
};

static const struct option_row OPTIONS[] = {
        {"url", 0, "URL", "the judge's engine", OPT_TEXT(struct options, url)},
        {"model", 0, "NAME", "the model that judges (the engine's only one)",
                OPT_TEXT(struct options, model)},
        {"backend", 0, "NAME",
                "the judge's name in the figures (the model). With a name from the capture's "
                "settings, or from -c FILE, --url may be left out",
                OPT_TEXT(struct options, backend)},
        {"config", 'c', "FILE", "look the name up in this configuration of a proxy",
                OPT_TEXT(struct options, config)},
        {"api-key-env", 0, "VAR",
                "the environment variable that holds the judge's API key (as -c FILE says)",
                OPT_TEXT(struct options, key_variable)},
        {"dialect", 0, "NAME", "the kind of engine, if it is not recognised",
                OPT_TEXT(struct options, dialect)},
        {"with", 0, "math-verify",
                "ask the Python library Math-Verify, and no model, about the mathematical values "
                "that both answers of a pair mark",
                OPT_TEXT(struct options, with)},
        {"python", 0, "FILE", "--with: the Python that has the library (/usr/bin/python3)",
                OPT_TEXT(struct options, python)},
        {"memory-limit", 0, "N", "--with: the memory of each process in megabytes (1024)",
                OPT_NUMBER(struct options, memory_mb, 256, 1 << 20)},
        {"concurrency", 0, "N", "requests in flight (4; --with: one for each processor)",
                OPT_NUMBER(struct options, concurrency, 1, JUDGE_CONCURRENCY_LIMIT)},
        {"max-tokens", 0, "N", "the limit of a reply, thinking included (2048)",
                OPT_NUMBER(struct options, max_tokens, 1, 1000000)},
        {"timeout", 0, "TIME", "the limit of a request (120s; --with: 5s)",
                OPT_DURATION(struct options, timeout_ns, 1)},
        {"capture", 0, "OTHERDIR", "record there, not in a new segment of DIR",
                OPT_TEXT(struct options, capture)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct options, json)},
        OPT_GROUP("which pairs:"),
        {"check", 0, "N",
                "ask about N decided pairs too, chosen at random: how often does the judge agree?",
                OPT_NUMBER(struct options, checks, 0, JUDGE_CHECKS_LIMIT)},
        {"limit", 0, "N", "judge at most N pairs now",
                OPT_NUMBER(struct options, limit, 1, UINT64_MAX)},
        {"dry-run", 0, NULL, "send nothing; print the number of requests and tokens",
                OPT_BOOL(struct options, dry_run)},
        OPT_INCLUDE(SELECTING_OPTIONS, struct options, selecting),
        OPT_END,
};

static const struct verb JUDGE = {
        .name = "judge",
        .usage = "DIR (--url URL --model NAME | --with math-verify) [options]",
        .about = "Asks a model about the greedy pairs of answers that plumbline analyze leaves "
                 "undecided: do both say the same? It shows each pair in both orders, and counts "
                 "only what the model says in both. The replies are recorded in the capture; "
                 "plumbline analyze DIR shows them beside its own figures and never among them. A "
                 "pair that has a verdict is not judged again. With --with math-verify it asks "
                 "that library about pairs whose answers mark mathematical values.",
        .options = OPTIONS,
        .examples = "plumbline judge capture --url http://127.0.0.1:8000 --model qwen3-32b "
                    "--dry-run\n"
                    "plumbline judge capture --url http://127.0.0.1:8000 --model qwen3-32b --check "
                    "100\n"
                    "plumbline judge capture --with math-verify --python "
                    "/opt/math-verify/bin/python",
        .exit_codes = "0 all that can be judged is judged, 2 command line, 3 some failed (run it "
                      "again), 4 there is nothing to judge",
};

static char *settle_library(struct options *o)
{
	if (strcmp(o->with, "math-verify") != 0) {
		return xasprintf("--with %.60s is not known; it can be math-verify", o->with);
	}
	if (o->url || o->model || o->config || o->key_variable || o->dialect || o->max_tokens) {
		return xstrdup("--with math-verify asks no engine: leave out --url, --model, "
		               "--config, --api-key-env, --dialect and --max-tokens");
	}
	o->concurrency = o->concurrency ? o->concurrency : crew_processors();
	o->timeout_ns = o->timeout_ns ? o->timeout_ns : MATHEMATICS_QUESTION_MS * 1000000;
	o->memory_mb = o->memory_mb ? o->memory_mb : DEFAULT_MEMORY_MB;
	o->backend = o->backend ? o->backend : o->with;
	return NULL;
}

static char *settle_engine(struct options *o)
{
	if (o->python || o->memory_mb) {
		return xstrdup("--python and --memory-limit belong to --with math-verify");
	}
	o->concurrency = o->concurrency ? o->concurrency : DEFAULT_CONCURRENCY;
	o->timeout_ns = o->timeout_ns ? o->timeout_ns : DEFAULT_TIMEOUT_NS;
	o->max_tokens = o->max_tokens ? o->max_tokens : DEFAULT_MAX_TOKENS;
	bool known = o->url || o->backend || o->dry_run;
	return known ? NULL
	             : xstrdup("who is to judge? Give --url URL and --model NAME, or --with "
	                       "math-verify");
}

static char *settle(const struct operands *rest, struct options *o)
{
	if (rest->n != 1) {
		return xstrdup("which capture? Give one directory");
	}
	o->dir = rest->words[0];
	return o->with ? settle_library(o) : settle_engine(o);
}

/* The state of one run. It can be finished as a whole, whatever stage the run reached. */
struct run {
	struct options *o;
	struct capture *capture;
	struct analysis_options analysis;
	struct judge_list list;
	struct opinion_engine engine; /* empty if a library judges */
	const char *model;            /* NULL: the engine names no model */
	struct judge_job_settings job;
	struct mathematics library;
	char *version; /* of the library; NULL with an engine */
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

/* The name under which the verdicts are recorded. */
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
	        .mathematics = r->o->with != NULL,
	};
	judge_list_make(r->capture, &r->analysis, &wish, &r->list);
	return EXIT_PASS;
}

static int find_engine(struct run *r)
{
	const struct options *o = r->o;
	const char *name = name_of(o);
	const struct opinion_engine_wish wish = {
	        .name = name ? name : "judge",
	        .config = o->config,
	        .url = o->url,
	        .key_variable = o->key_variable,
	        .dialect = o->dialect,
	};
	char *problem = NULL;
	int code = opinion_engine_find(r->capture, &wish, &r->engine, &problem);
	if (code == EXIT_PASS &&
	        (problem = opinion_engine_model(&r->engine, o->model, &r->model))) {
		code = EXIT_USAGE;
	}
	return code == EXIT_PASS ? EXIT_PASS : commands_fail("judge", code, problem);
}

static int find_library(struct run *r)
{
	const struct options *o = r->o;
	r->library = (struct mathematics){
	        .python = o->python,
	        .question_ms = MAX(o->timeout_ns / 1000000, 1),
	        .memory = o->memory_mb << 20,
	};
	char *problem = mathematics_check(&r->library, &r->version);
	return problem ? commands_fail("judge", EXIT_RUNTIME, problem) : EXIT_PASS;
}

static struct judge_report report_of(const struct run *r, bool asked)
{
	return (struct judge_report){
	        .dir = r->o->dir,
	        .to = r->o->capture,
	        .judge = r->engine.backend.name ? r->engine.backend.name : name_of(r->o),
	        .url = r->engine.backend.url,
	        .model = r->version ? r->version
	                 : r->model ? r->model
	                            : r->o->model,
	        .library = r->o->with != NULL,
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

static char *ask_engine(struct run *r)
{
	const struct options *o = r->o;
	struct judge_job_settings *job = &r->job;
	struct opinion_engine *engine = &r->engine;
	job->backend = &engine->backend;
	job->juror.dialect = engine->dialect;
	job->juror.line = engine->line;
	job->juror.model = r->model;
	job->juror.max_tokens = (int)o->max_tokens;
	job->juror.timeout_ms = MAX(o->timeout_ns / 1000000, 1);
	bool alone = job->juror.dialect->abilities & ABILITY_ONE_AT_A_TIME;
	job->concurrency = alone ? 1 : o->concurrency;
	return judge_work(r->capture, &r->list, job, &r->tally);
}

static char *ask_library(struct run *r)
{
	const struct mathematics_job job = {
	        .library = r->library,
	        .name = r->o->backend,
	        .version = r->version,
	        .concurrency = r->o->concurrency,
	        .recorder = r->job.recorder,
	        .book = r->job.book,
	};
	judge_mathematics(r->capture, &r->list, job, &r->tally);
	return NULL;
}

static int work(struct run *r)
{
	const struct judge_report plan = report_of(r, false);
	judge_report_plan(&plan, stderr);
	char *problem = r->o->with ? ask_library(r) : ask_engine(r);
	recorder_stop(r->job.recorder, STOP_NS);
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
	int code = r->o->with ? find_library(r) : find_engine(r);
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
	opinion_engine_finish(&r.engine);
	free(r.version);
	capture_close(r.capture);
	return code;
}

int command_judge(int argc, char **argv)
{
	struct options o = {.limit = UINT64_MAX};
	struct operands rest;
	int code;
	if (!commands_read(&JUDGE, argc, argv, &o, &rest, &code)) {
		return code;
	}
	char *problem = settle(&rest, &o);
	code = problem ? commands_usage(&JUDGE, problem) : run(&o);
	selecting_finish(&o.selecting);
	return code;
}
