/*
 * plumbline judge - asks a model, or a library, about the pairs of answers whose meaning is
 * undecided.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/annotate/judge_pairs.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/opinions/opinion_engine.h"
#include "cli/opinions/opinion_run.h"
#include "cli/selecting.h"
#include "cli/verb.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_MAX_TOKENS 2048 /* for models that reason before they answer */
#define DEFAULT_TIMEOUT_MS UINT64_C(120000)
#define DEFAULT_MEMORY_MB 1024

/* It can be finished as a whole at any stage. */
struct run {
	/* Options; also: `to` of run; checks and limit of listing; concurrency, max_tokens and the
	 * Python of job. */
	const char *backend, *asked_model;
	const char *with; /* a library in place of an engine */
	struct opinion_engine_options asked_engine;
	struct selecting selecting;
	uint64_t timeout_ns, memory_mb; /* 0: the default */
	bool dry_run, json;
	/* The state. */
	struct opinion_run run;
	struct analysis_options analysis;
	struct judge_options listing;
	struct judge_list list;
	struct opinion_engine engine; /* empty if a library judges */
	const char *model;            /* NULL: the engine names no model */
	struct judge_job job;
};

static const struct option_row OPTIONS[] = {
        {"url", 0, "URL", "the judge's engine", OPT_TEXT(struct run, asked_engine.url)},
        {"model", 0, "NAME", "ask this model (the engine's only one)",
                OPT_TEXT(struct run, asked_model)},
        {"backend", 0, "NAME",
                "name of the judge in the figures (the model). --url is not needed for a name in "
                "the capture's settings or in -c FILE",
                OPT_TEXT(struct run, backend)},
        OPT_INCLUDE(OPINION_ENGINE_OPTIONS, struct run, asked_engine),
        {"with", 0, "math-verify",
                "ask the Python library Math-Verify instead of a model, about pairs whose answers "
                "both mark a mathematical value",
                OPT_TEXT(struct run, with)},
        {"python", 0, "FILE",
                "with --with: use this Python, which has the library (/usr/bin/python3)",
                OPT_TEXT(struct run, job.library.mathematics.python)},
        {"memory-limit", 0, "N", "with --with: memory limit of each process, in megabytes (1024)",
                OPT_NUMBER(struct run, memory_mb, 256, 1 << 20)},
        {"concurrency", 0, "N", "requests in progress (4; --with: one for each processor)",
                OPT_NUMBER(struct run, job.concurrency, 1, ANNOTATOR_WORKERS)},
        {"max-tokens", 0, "N", "token limit of a reply, including its reasoning (2048)",
                OPT_NUMBER(struct run, job.client.max_tokens, 1, 1000000)},
        {"timeout", 0, "TIME", "time limit of a request (120s; with --with: 5s)",
                OPT_DURATION(struct run, timeout_ns, 1)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct run, run.to)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct run, json)},
        OPT_GROUP("which pairs:"),
        {"check", 0, "N",
                "also ask about N decided pairs, chosen at random, to see how often the judge "
                "agrees",
                OPT_NUMBER(struct run, listing.checks, 0, JUDGE_CHECKS_LIMIT)},
        {"limit", 0, "N", "judge at most N pairs now",
                OPT_NUMBER(struct run, listing.limit, 1, UINT64_MAX)},
        {"dry-run", 0, NULL, "send nothing; print the number of requests and tokens",
                OPT_BOOL(struct run, dry_run)},
        OPT_INCLUDE(SELECTING_OPTIONS, struct run, selecting),
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

static char *settle_library(struct run *r)
{
	struct judge_job *j = &r->job;
	const struct opinion_engine_options *engine = &r->asked_engine;
	if (strcmp(r->with, "math-verify") != 0) {
		return xasprintf("--with %.60s is not known; it can be math-verify", r->with);
	}
	if (engine->url || r->asked_model || engine->config || engine->key_variable ||
	        engine->dialect || j->client.max_tokens) {
		return xstrdup("--with math-verify asks no engine: leave out --url, --model, "
		               "--config, --api-key-env, --dialect and --max-tokens");
	}
	r->backend = r->backend ? r->backend : r->with;
	j->name = r->backend;
	j->url = "sandbox:";
	j->role = ROLE_REFERENCE;
	j->concurrency = j->concurrency ? j->concurrency : annotator_processors();
	j->library.mathematics.question_ms =
	        r->timeout_ns ? MAX(r->timeout_ns / 1000000, 1) : MATHEMATICS_QUESTION_MS;
	j->library.mathematics.memory = (r->memory_mb ? r->memory_mb : DEFAULT_MEMORY_MB) << 20;
	r->listing.mathematics = true;
	return NULL;
}

static char *settle_engine(struct run *r)
{
	struct judge_job *j = &r->job;
	if (j->library.mathematics.python || r->memory_mb) {
		return xstrdup("--python and --memory-limit need --with math-verify");
	}
	j->concurrency = j->concurrency ? j->concurrency : DEFAULT_CONCURRENCY;
	j->client.timeout_ms = r->timeout_ns ? MAX(r->timeout_ns / 1000000, 1) : DEFAULT_TIMEOUT_MS;
	j->client.max_tokens = j->client.max_tokens ? j->client.max_tokens : DEFAULT_MAX_TOKENS;
	bool known = r->asked_engine.url || r->backend || r->dry_run;
	return known ? NULL
	             : xstrdup("no judge is given: add --url URL and --model NAME, or --with "
	                       "math-verify");
}

static int open_capture(struct run *r)
{
	struct selecting *selecting = &r->selecting;
	char *error = selecting_parse(selecting, &r->analysis);
	int code = error ? verb_fail("judge", EXIT_USAGE, error) : opinion_run_open(&r->run);
	if (code != EXIT_PASS) {
		return code;
	}
	error = selecting_resolve(selecting, r->run.capture, &r->analysis);
	return error ? verb_fail("judge", EXIT_USAGE, error) : EXIT_PASS;
}

/* The judge's name, under which the verdicts are recorded; NULL: none was given. */
static const char *judge_of(const struct run *r)
{
	return r->engine.backend.name ? r->engine.backend.name
	       : r->backend           ? r->backend
	                              : r->asked_model;
}

static void make_list(struct run *r)
{
	r->listing.judge = judge_of(r);
	judge_list_make(r->run.capture, &r->analysis, &r->listing, &r->list);
}

static int find_engine(struct run *r)
{
	struct judge_job *j = &r->job;
	r->asked_engine.name = judge_of(r) ? judge_of(r) : "judge";
	char *problem = NULL;
	int code = opinion_engine_find(r->run.capture, &r->asked_engine, &r->engine, &problem);
	if (code == EXIT_PASS &&
	        (problem = opinion_engine_model(&r->engine, r->asked_model, &r->model))) {
		code = EXIT_USAGE;
	}
	if (code != EXIT_PASS) {
		return verb_fail("judge", code, problem);
	}
	j->name = r->engine.backend.name;
	j->url = r->engine.backend.url;
	j->role = r->engine.backend.role;
	j->client.dialect = r->engine.dialect;
	j->client.line = r->engine.line;
	j->client.model = r->model;
	if (j->client.dialect->abilities & ABILITY_ONE_AT_A_TIME) {
		j->concurrency = 1;
	}
	return EXIT_PASS;
}

static int find_library(struct run *r)
{
	struct library *l = &r->job.library;
	char *problem = mathematics_check(&l->mathematics, &l->version);
	return problem ? verb_fail("judge", EXIT_RUNTIME, problem) : EXIT_PASS;
}

/* The model, or the version of the library; NULL: not known. */
static const char *model_of(const struct run *r)
{
	const char *version = r->job.library.version;
	return version ? version : r->model ? r->model : r->asked_model;
}

static int open_recorder(struct run *r)
{
	/* which capture was judged, and by whom */
	struct buf settings = {0};
	struct json_writer w = {.to = &settings};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "judge", '{');
	json_writer_text(&w, "source", r->run.dir);
	json_writer_text(&w, "name", judge_of(r));
	json_writer_text(&w, "url", r->engine.backend.url);
	json_writer_text(&w, "model", model_of(r));
	if (!r->with) {
		json_writer_count(&w, "prompt_version", OPINION_PROMPT_VERSION);
	}
	json_writer_close(&w, "}}");
	int code = opinion_run_begin_segment(&r->run, buf_cstr(&settings), "opinions");
	buf_finish(&settings);
	return code;
}

static void put_plan(const struct run *r, FILE *to)
{
	const struct judge_list *l = &r->list;
	uint64_t requests = judge_list_requests(l);
	fprintf(to,
	        "%" PRIu64 " of %" PRIu64 " greedy pairs are undecided. To judge: %zu of these"
	        " and %zu decided pair%s as a check, with %" PRIu64 " %s%s",
	        l->undecided, l->pairs, l->n_undecided, l->n_checks, plural(l->n_checks, "", "s"),
	        requests, r->with ? "question" : "request", plural(requests, "", "s"));
	if (!r->with) {
		fprintf(to, " of about %" PRIu64 " tokens", judge_list_tokens(l));
	}
	fputs(".\n", to);
}

static int work(struct run *r)
{
	struct terminal_text plan;
	put_plan(r, terminal_begin(&plan));
	terminal_end(&plan, stderr);
	r->job.capture = r->run.capture;
	r->job.to = &r->run.recording;
	r->job.list = &r->list;
	return opinion_run_end_segment(
	        &r->run, (r->with ? judge_by_library : judge_by_model)(&r->job));
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
	if (l->n_checks + l->checks_already < r->listing.checks && l->checks_alike > 0) {
		fprintf(to,
		        "%" PRIu64 " decided pair%s not checked: equal answers, or answers of two "
		        "kinds.\n",
		        l->checks_alike, plural(l->checks_alike, "", "s"));
	}
	if (l->n_checks + l->checks_already < r->listing.checks && l->checks_unusable > 0) {
		fprintf(to,
		        "%" PRIu64
		        " decided pair%s not checked: an answer was cut, has tool calls, "
		        "says nothing or is too long.\n",
		        l->checks_unusable, plural(l->checks_unusable, "", "s"));
	}
}

/* asked: the work was done. */
static void print_text(const struct run *r, bool asked)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	const struct judge_job *j = &r->job;
	const struct judge_list *l = &r->list;
	if (asked) {
		fprintf(to, "The judge, %s, judged %" PRIu64 " pair%s, each in both orders",
		        judge_of(r), j->judged, plural(j->judged, "", "s"));
		opinion_run_print_time(&j->tally, to);
		fprintf(to,
		        ". Replies: same meaning %" PRIu64 ", different meaning %" PRIu64
		        ", can't tell %" PRIu64,
		        j->replies[OPINION_SAME], j->replies[OPINION_DIFFERENT],
		        j->replies[OPINION_CANNOT_TELL]);
		if (j->unclear > 0) {
			fprintf(to, " (without a verdict %" PRIu64 ")", j->unclear);
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
	opinion_run_print_reasons(&j->tally.failed, r->with ? "question" : "request", "failed", to);
	opinion_run_print_end(&r->run, &j->tally, "reply", "replies", to);
	terminal_end(&text, stdout);
	if (!opinion_run_is_unfinished(&r->run, &j->tally) && (asked || l->already > 0)) {
		opinion_run_print_command(
		        r->run.dir, r->run.to, r->selecting.base, r->selecting.test, stdout);
	}
}

static void put_left_out(struct json_writer *w, const struct judge_list *l)
{
	json_writer_open(w, "left_out", '{');
	json_writer_count(w, "not_greedy", l->not_greedy);
	json_writer_count(w, "cut", l->cut);
	json_writer_count(w, "tool_calls", l->calls);
	json_writer_count(w, "empty", l->empty);
	json_writer_count(w, "too_long", l->too_long);
	json_writer_count(w, "unmarked", l->unmarked);
	json_writer_count(w, "unlike", l->unlike);
	json_writer_close(w, "}");
}

static void put_results(struct json_writer *w, const struct judge_job *j)
{
	json_writer_open(w, "asked", '{');
	json_writer_count(w, "judged", j->judged);
	json_writer_count(w, "replies", j->tally.done);
	for (size_t i = 0; i < N_OPINIONS; i++) {
		json_writer_count(w, opinion_name((enum opinion)i), j->replies[i]);
	}
	json_writer_count(w, "unclear", j->unclear);
	json_writer_count(w, "seconds", j->tally.seconds);
	error_tally_json(&j->tally.failed, "failed", w);
	json_writer_bool(w, "gone", j->tally.gone);
	json_writer_bool(w, "stopped", j->tally.stopped);
	json_writer_close(w, "}");
}

static void print_json(const struct run *r, bool asked)
{
	const struct judge_list *l = &r->list;
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_count(&w, "plumbline_judge", 1);
	json_writer_text(&w, "capture", r->run.dir);
	json_writer_text(&w, "judge", judge_of(r));
	json_writer_text(&w, "url", r->engine.backend.url);
	json_writer_text(&w, "model", model_of(r));
	if (r->with) {
		json_writer_null(&w, "prompt_version");
	} else {
		json_writer_count(&w, "prompt_version", OPINION_PROMPT_VERSION);
	}
	json_writer_count(&w, "pairs", l->pairs);
	json_writer_count(&w, "undecided", l->undecided);
	json_writer_count(&w, "already", l->already);
	json_writer_count(&w, "to_judge", l->n_undecided);
	json_writer_count(&w, "checks_already", l->checks_already);
	json_writer_count(&w, "checks", l->n_checks);
	json_writer_count(&w, "requests", judge_list_requests(l));
	json_writer_count(&w, "tokens_about", r->with ? 0 : judge_list_tokens(l));
	put_left_out(&w, l);
	if (asked) {
		put_results(&w, &r->job);
	} else {
		json_writer_null(&w, "asked");
	}
	json_writer_count(&w, "lost", r->run.lost);
	opinion_run_print_json(&w, stdout);
}

static int conclude(const struct run *r, bool asked)
{
	const struct judge_list *l = &r->list;
	(r->json ? print_json : print_text)(r, asked);
	bool nothing = judge_list_pairs(l) + l->already + l->checks_already == 0;
	bool all_decided = l->pairs > 0 && l->undecided == 0;
	return verb_flush("judge", opinion_run_is_unfinished(&r->run, &r->job.tally) ? EXIT_RUNTIME
	                           : nothing && !all_decided ? EXIT_NOT_ENOUGH
	                                                     : EXIT_PASS);
}

static int run_asking(struct run *r)
{
	int code = r->with ? find_library(r) : find_engine(r);
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

static int run(struct run *r)
{
	int code = open_capture(r);
	if (code == EXIT_PASS && r->dry_run) {
		make_list(r);
		code = conclude(r, false);
	} else if (code == EXIT_PASS) {
		code = run_asking(r);
	}
	annotator_tally_finish(&r->job.tally);
	judge_list_finish(&r->list);
	opinion_engine_finish(&r->engine);
	free(r->job.library.version);
	opinion_run_close(&r->run);
	return code;
}

int command_judge(int argc, char **argv)
{
	struct run r = {.run.verb = "judge", .listing.limit = UINT64_MAX};
	int code;
	if (!verb_read_dir(&JUDGE, argc, argv, &r, &r.run.dir, &code)) {
		return code;
	}
	char *problem = r.with ? settle_library(&r) : settle_engine(&r);
	code = problem ? verb_usage(&JUDGE, problem) : run(&r);
	selecting_finish(&r.selecting);
	return code;
}
