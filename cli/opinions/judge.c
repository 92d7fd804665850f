/*
 * plumbline judge - asks a model, or a library, about the pairs of answers whose meaning is
 * undecided.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/quoted.h"
#include "cli/opinions/annotation_store.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "cli/opinions/worker_threads.h"
#include "cli/opinions/judge_mathematics.h"
#include "cli/opinions/judge_work.h"
#include "cli/opinions/opinion_report.h"
#include "cli/opinions/opinion_engine.h"
#include "base/options.h"
#include "base/terminal.h"
#include "cli/capture/selecting.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_MAX_TOKENS 2048 /* for models that reason before they answer */
#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)
#define DEFAULT_MEMORY_MB 1024

struct options {
	const char *dir, *backend, *model, *capture;
	struct opinion_engine_options engine;
	const char *with, *python; /* a library in place of an engine */
	struct selecting selecting;
	unsigned concurrency;
	uint64_t limit, checks, max_tokens, timeout_ns, memory_mb; /* 0: the default */
	bool dry_run, json;
};

static const struct option_row OPTIONS[] = {
        {"url", 0, "URL", "the judge's engine", OPT_TEXT(struct options, engine.url)},
        {"model", 0, "NAME", "ask this model (the engine's only one)",
                OPT_TEXT(struct options, model)},
        {"backend", 0, "NAME",
                "name of the judge in the figures (the model). --url is not needed for a name in "
                "the capture's settings or in -c FILE",
                OPT_TEXT(struct options, backend)},
        OPT_INCLUDE(OPINION_ENGINE_OPTIONS, struct options, engine),
        {"with", 0, "math-verify",
                "ask the Python library Math-Verify instead of a model, about pairs whose answers "
                "both mark a mathematical value",
                OPT_TEXT(struct options, with)},
        {"python", 0, "FILE",
                "with --with: use this Python, which has the library (/usr/bin/python3)",
                OPT_TEXT(struct options, python)},
        {"memory-limit", 0, "N", "with --with: memory limit of each process, in megabytes (1024)",
                OPT_NUMBER(struct options, memory_mb, 256, 1 << 20)},
        {"concurrency", 0, "N", "requests in progress (4; --with: one for each processor)",
                OPT_NUMBER(struct options, concurrency, 1, JUDGE_CONCURRENCY_LIMIT)},
        {"max-tokens", 0, "N", "token limit of a reply, including its reasoning (2048)",
                OPT_NUMBER(struct options, max_tokens, 1, 1000000)},
        {"timeout", 0, "TIME", "time limit of a request (120s; with --with: 5s)",
                OPT_DURATION(struct options, timeout_ns, 1)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct options, capture)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct options, json)},
        OPT_GROUP("which pairs:"),
        {"check", 0, "N",
                "also ask about N decided pairs, chosen at random, to see how often the judge "
                "agrees",
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
        .usage = "DIR --url URL --model NAME [options]\n"
                 "DIR --with math-verify [options]",
        .about =
                "Asks a model whether two answers have the same meaning, for the greedy pairs that "
                "plumbline analyze leaves undecided. It shows each pair in both orders, and counts "
                "a verdict only if the model gives it in both orders. The replies are recorded in "
                "the capture; plumbline analyze DIR shows them in figures of their own. A pair "
                "that has a verdict is not judged again. With --with math-verify it asks that "
                "library about pairs whose answers mark mathematical values.",
        .options = OPTIONS,
        .examples = "plumbline judge capture --url http://127.0.0.1:8000 \\\n"
                    "    --model qwen3-32b --dry-run\n"
                    "plumbline judge capture --url http://127.0.0.1:8000 \\\n"
                    "    --model qwen3-32b --check 100\n"
                    "plumbline judge capture --with math-verify \\\n"
                    "    --python /opt/math-verify/bin/python",
        .exit_codes = "0 all pairs that can be judged are judged, 2 command line, 3 some failed "
                      "(run the command again), 4 there is nothing to judge",
};

static char *settle_library(struct options *o)
{
	if (strcmp(o->with, "math-verify") != 0) {
		return xasprintf("--with %.60s is not known; it can be math-verify", o->with);
	}
	if (o->engine.url || o->model || o->engine.config || o->engine.key_variable ||
	        o->engine.dialect || o->max_tokens) {
		return xstrdup("--with math-verify asks no engine: leave out --url, --model, "
		               "--config, --api-key-env, --dialect and --max-tokens");
	}
	o->concurrency = o->concurrency ? o->concurrency : worker_threads_processors();
	o->timeout_ns = o->timeout_ns ? o->timeout_ns : MATHEMATICS_QUESTION_MS * 1000000;
	o->memory_mb = o->memory_mb ? o->memory_mb : DEFAULT_MEMORY_MB;
	o->backend = o->backend ? o->backend : o->with;
	return NULL;
}

static char *settle_engine(struct options *o)
{
	if (o->python || o->memory_mb) {
		return xstrdup("--python and --memory-limit need --with math-verify");
	}
	o->concurrency = o->concurrency ? o->concurrency : DEFAULT_CONCURRENCY;
	o->timeout_ns = o->timeout_ns ? o->timeout_ns : DEFAULT_TIMEOUT_NS;
	o->max_tokens = o->max_tokens ? o->max_tokens : DEFAULT_MAX_TOKENS;
	bool known = o->engine.url || o->backend || o->dry_run;
	return known ? NULL
	             : xstrdup("no judge is given: add --url URL and --model NAME, or --with "
	                       "math-verify");
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
	struct recording recording;
	struct judge_tally tally;
	uint64_t lost; /* replies that could not be recorded */
};

static int open_capture(struct run *r)
{
	struct options *o = r->o;
	char *error = selecting_parse(&o->selecting, &r->analysis);
	if (error) {
		return verb_fail("judge", EXIT_USAGE, error);
	}
	r->capture = annotation_capture("judge", o->dir, o->capture, &error);
	if (!r->capture) {
		return verb_fail("judge", EXIT_USAGE, error);
	}
	error = selecting_resolve(&o->selecting, r->capture, &r->analysis);
	return error ? verb_fail("judge", EXIT_USAGE, error) : EXIT_PASS;
}

/* The name under which the verdicts are recorded. */
static const char *name_of(const struct options *o)
{
	return o->backend ? o->backend : o->model;
}

/* The judge's name; NULL: none was given. */
static const char *judge_of(const struct run *r)
{
	return r->engine.backend.name ? r->engine.backend.name : name_of(r->o);
}

static void make_list(struct run *r)
{
	const struct judge_options options = {
	        .judge = judge_of(r),
	        .checks = r->o->checks,
	        .limit = r->o->limit,
	        .mathematics = r->o->with != NULL,
	};
	judge_list_make(r->capture, &r->analysis, &options, &r->list);
}

static int find_engine(struct run *r)
{
	struct options *o = r->o;
	o->engine.name = name_of(o) ? name_of(o) : "judge";
	char *problem = NULL;
	int code = opinion_engine_find(r->capture, &o->engine, &r->engine, &problem);
	if (code == EXIT_PASS &&
	        (problem = opinion_engine_model(&r->engine, o->model, &r->model))) {
		code = EXIT_USAGE;
	}
	return code == EXIT_PASS ? EXIT_PASS : verb_fail("judge", code, problem);
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
	return problem ? verb_fail("judge", EXIT_RUNTIME, problem) : EXIT_PASS;
}

/* The model, or the version of the library; NULL: not known. */
static const char *model_of(const struct run *r)
{
	return r->version ? r->version : r->model ? r->model : r->o->model;
}

static int open_recorder(struct run *r)
{
	const struct options *o = r->o;
	/* which capture was judged, and by whom */
	json_t *judge = json_pack("{s:o, s:o, s:o, s:o}", "source", quoted(o->dir), "name",
	        quoted(judge_of(r)), "url", quoted(r->engine.backend.url), "model",
	        quoted(model_of(r)));
	if (!o->with) {
		node_set_count(judge, "prompt_version", OPINION_PROMPT_VERSION);
	}
	char *settings = opinion_report_text(json_pack("{s:o}", "judge", judge));
	char *error = annotation_open(o->dir, o->capture, settings, "opinions", &r->recording);
	free(settings);
	if (error) {
		return verb_fail("judge", EXIT_RUNTIME, error);
	}
	r->job.to = &r->recording;
	return EXIT_PASS;
}

static char *ask_engine(struct run *r)
{
	const struct options *o = r->o;
	struct judge_job_settings *job = &r->job;
	struct opinion_engine *engine = &r->engine;
	job->backend = &engine->backend;
	job->client.dialect = engine->dialect;
	job->client.line = engine->line;
	job->client.model = r->model;
	job->client.max_tokens = (int)o->max_tokens;
	job->client.timeout_ms = MAX(o->timeout_ns / 1000000, 1);
	bool alone = job->client.dialect->abilities & ABILITY_ONE_AT_A_TIME;
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
	        .to = r->job.to,
	};
	judge_mathematics(r->capture, &r->list, job, &r->tally);
	return NULL;
}

static void put_plan(const struct run *r, FILE *to)
{
	const struct judge_list *l = &r->list;
	uint64_t requests = judge_list_requests(l);
	fprintf(to,
	        "%" PRIu64 " of %" PRIu64 " greedy pairs are undecided. To judge: %zu of these"
	        " and %zu decided pair%s as a check, with %" PRIu64 " %s%s",
	        l->undecided, l->pairs, l->n_undecided, l->n_checks, plural(l->n_checks, "", "s"),
	        requests, r->o->with ? "question" : "request", plural(requests, "", "s"));
	if (!r->o->with) {
		fprintf(to, " of about %" PRIu64 " tokens", judge_list_tokens(l));
	}
	fputs(".\n", to);
}

static int work(struct run *r)
{
	struct terminal_text plan;
	put_plan(r, terminal_begin(&plan));
	terminal_end(&plan, stderr);
	char *problem = r->o->with ? ask_library(r) : ask_engine(r);
	r->lost = recording_close(&r->recording);
	return problem ? verb_fail("judge", EXIT_RUNTIME, problem) : EXIT_PASS;
}

static void print_left_out(const struct run *r, FILE *to)
{
	const struct judge_list *l = &r->list;
	const struct {
		uint64_t n;
		const char *why;
	} out[] = {{l->cut, "were cut"}, {l->calls, "have tool calls"}, {l->empty, "say nothing"},
	        {l->too_long, "are too long"},
	        {l->unmarked, "do not both mark a mathematical value"},
	        {l->unlike, "say different things around their values"}};
	if (l->not_greedy > 0) {
		fprintf(to,
		        "%" PRIu64
		        " pair%s not judged: sampled, or decoded with different parameters.\n",
		        l->not_greedy, plural(l->not_greedy, "", "s"));
	}
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		if (out[i].n > 0) {
			fprintf(to, "%" PRIu64 " undecided pair%s not judged: answers %s.\n",
			        out[i].n, plural(out[i].n, "", "s"), out[i].why);
		}
	}
	if (l->n_checks + l->checks_already < r->o->checks && l->checks_alike > 0) {
		fprintf(to,
		        "%" PRIu64 " decided pair%s not checked: equal answers, or answers of two "
		        "kinds.\n",
		        l->checks_alike, plural(l->checks_alike, "", "s"));
	}
	if (l->n_checks + l->checks_already < r->o->checks && l->checks_unusable > 0) {
		fprintf(to,
		        "%" PRIu64
		        " decided pair%s not checked: an answer was cut, has tool calls, "
		        "says nothing or is too long.\n",
		        l->checks_unusable, plural(l->checks_unusable, "", "s"));
	}
}

/* asked: the work was done. */
static void print_text(const struct run *r, bool asked, FILE *screen)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	const struct judge_tally *t = &r->tally;
	const struct judge_list *l = &r->list;
	if (asked) {
		fprintf(to, "The judge, %s, judged %" PRIu64 " pair%s, each in both orders",
		        judge_of(r), t->judged, plural(t->judged, "", "s"));
		opinion_report_print_time(t->seconds, to);
		fprintf(to,
		        ". Replies: same meaning %" PRIu64 ", different meaning %" PRIu64
		        ", can't tell %" PRIu64,
		        t->replies_by_opinion[OPINION_SAME],
		        t->replies_by_opinion[OPINION_DIFFERENT],
		        t->replies_by_opinion[OPINION_CANNOT_TELL]);
		if (t->unclear > 0) {
			fprintf(to, " (without a verdict %" PRIu64 ")", t->unclear);
		}
	} else {
		put_plan(r, to);
		fputs("Nothing was sent", to);
	}
	if (l->already + l->checks_already > 0) {
		fprintf(to, "; %" PRIu64 " had been judged before", l->already + l->checks_already);
	}
	fputs(".\n", to);
	print_left_out(r, to);
	if (asked) {
		opinion_report_print(&t->failed, r->o->with ? "question" : "request", "failed", to);
	}
	if (r->lost > 0) {
		fprintf(to, "%" PRIu64 " %s could not be written to the capture.\n", r->lost,
		        plural(r->lost, "reply", "replies"));
	}
	if (t->gone) {
		fputs("The engine can no longer be reached. ", to);
	}
	bool unfinished = t->gone || t->stopped || t->failed.total > 0 || r->lost > 0;
	if (unfinished) {
		fprintf(to,
		        "%sThe replies so far are recorded; run the same command to continue.\n",
		        t->stopped ? "Stopped. " : "");
	}
	terminal_end(&text, screen);
	if (!unfinished && (asked || l->already > 0)) {
		annotation_print_command(r->o->dir, r->o->capture, r->o->selecting.base,
		        r->o->selecting.test, screen);
	}
}

static json_t *left_out_json(const struct judge_list *l)
{
	json_t *o = json_object();
	node_set_count(o, "not_greedy", l->not_greedy);
	node_set_count(o, "cut", l->cut);
	node_set_count(o, "tool_calls", l->calls);
	node_set_count(o, "empty", l->empty);
	node_set_count(o, "too_long", l->too_long);
	node_set_count(o, "unmarked", l->unmarked);
	node_set_count(o, "unlike", l->unlike);
	return o;
}

static json_t *tally_json(const struct judge_tally *t)
{
	json_t *o = json_object();
	node_set_count(o, "judged", t->judged);
	node_set_count(o, "replies", t->replies);
	for (size_t i = 0; i < N_OPINIONS; i++) {
		node_set_count(o, opinion_name((enum opinion)i), t->replies_by_opinion[i]);
	}
	node_set_count(o, "unclear", t->unclear);
	node_set_count(o, "seconds", t->seconds);
	json_object_set_new(o, "failed", opinion_report_reasons(&t->failed));
	node_set_flag(o, "gone", t->gone);
	node_set_flag(o, "stopped", t->stopped);
	return o;
}

static void print_json(const struct run *r, bool asked, FILE *to)
{
	const struct judge_list *l = &r->list;
	json_t *o = json_object();
	node_set_count(o, "plumbline_judge", 1);
	json_object_set_new(o, "capture", quoted(r->o->dir));
	json_object_set_new(o, "judge", quoted(judge_of(r)));
	json_object_set_new(o, "url", quoted(r->engine.backend.url));
	json_object_set_new(o, "model", quoted(model_of(r)));
	json_object_set_new(o, "prompt_version",
	        r->o->with ? json_null() : json_integer(OPINION_PROMPT_VERSION));
	node_set_count(o, "pairs", l->pairs);
	node_set_count(o, "undecided", l->undecided);
	node_set_count(o, "already", l->already);
	node_set_count(o, "to_judge", l->n_undecided);
	node_set_count(o, "checks_already", l->checks_already);
	node_set_count(o, "checks", l->n_checks);
	node_set_count(o, "requests", judge_list_requests(l));
	node_set_count(o, "tokens_about", r->o->with ? 0 : judge_list_tokens(l));
	json_object_set_new(o, "left_out", left_out_json(l));
	json_object_set_new(o, "asked", asked ? tally_json(&r->tally) : json_null());
	node_set_count(o, "lost", r->lost);
	opinion_report_write(o, to);
}

static int conclude(const struct run *r, bool asked)
{
	const struct judge_list *l = &r->list;
	const struct judge_tally *t = &r->tally;
	(r->o->json ? print_json : print_text)(r, asked, stdout);
	bool failed = t->failed.total > 0 || t->stopped || t->gone || r->lost > 0;
	bool nothing = judge_list_pairs(l) + l->already + l->checks_already == 0;
	bool all_decided = l->pairs > 0 && l->undecided == 0;
	return verb_flush("judge", failed                    ? EXIT_RUNTIME
	                           : nothing && !all_decided ? EXIT_NOT_ENOUGH
	                                                     : EXIT_PASS);
}

static int run_asking(struct run *r)
{
	int code = r->o->with ? find_library(r) : find_engine(r);
	if (code != EXIT_PASS) {
		return code;
	}
	make_list(r);
	bool asks = judge_list_pairs(&r->list) > 0;
	if (asks) {
		code = open_recorder(r);
		code = code == EXIT_PASS ? work(r) : code;
	}
	return code == EXIT_PASS ? conclude(r, asks) : code;
}

static int run(struct options *o)
{
	struct run r = {.o = o};
	int code = open_capture(&r);
	if (code == EXIT_PASS && o->dry_run) {
		make_list(&r);
		code = conclude(&r, false);
	} else if (code == EXIT_PASS) {
		code = run_asking(&r);
	}
	judge_tally_finish(&r.tally);
	judge_list_finish(&r.list);
	opinion_engine_finish(&r.engine);
	free(r.version);
	capture_close(r.capture);
	return code;
}

int command_judge(int argc, char **argv)
{
	struct options o = {.limit = UINT64_MAX};
	int code;
	if (!verb_read_dir(&JUDGE, argc, argv, &o, &o.dir, &code)) {
		return code;
	}
	char *problem = o.with ? settle_library(&o) : settle_engine(&o);
	code = problem ? verb_usage(&JUDGE, problem) : run(&o);
	selecting_finish(&o.selecting);
	return code;
}
