/*
 * plumbline score - a backend scores the tokens that another backend generated.
 */
#include "cli/opinions/score.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/node.h"
#include "backends/injection/asking.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/quoted.h"
#include "cli/opinions/annotation_store.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "base/options.h"
#include "base/terminal.h"
#include "cli/opinions/opinion_report.h"
#include "cli/opinions/score_work.h"

#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)

static const struct option_row OPTIONS[] = {
        {"backend", 0, "NAME", "score with this backend of the capture's settings or of -c FILE",
                OPT_TEXT(struct score_options, engine.name)},
        {"url", 0, "URL", "use this address instead of the recorded one; NAME may then be new",
                OPT_TEXT(struct score_options, engine.url)},
        OPT_INCLUDE(OPINION_ENGINE_OPTIONS, struct score_options, engine),
        {"of", 0, "NAME", "score the answers of this backend (the primary)",
                OPT_TEXT(struct score_options, of)},
        {"concurrency", 0, "N", "requests in progress (4)",
                OPT_NUMBER(struct score_options, concurrency, 1, SCORE_CONCURRENCY_LIMIT)},
        {"top", 0, "N", "record N alternatives for each token (5)",
                OPT_NUMBER(struct score_options, top, 0, READING_TOP_LIMIT - 1)},
        {"model", 0, "NAME", "name of the model at the backend (as recorded, or its only one)",
                OPT_TEXT(struct score_options, model)},
        {"prompt", 0, "WHOSE",
                "own: the scoring engine makes the tokens of the prompt (default); primary: use "
                "the tokens that were recorded with the answer",
                OPT_WORD(struct score_options, prompt, SCORE_PROMPT_WORDS)},
        {"template", 0, "NAME", "write chats in this form, if the engine does not show its own",
                OPT_TEXT(struct score_options, template)},
        {"limit", 0, "N", "score at most N answers, without those that can't be scored",
                OPT_NUMBER(struct score_options, limit, 1, UINT64_MAX)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct score_options, capture)},
        {"timeout", 0, "TIME", "time limit of a request (120s)",
                OPT_DURATION(struct score_options, timeout_ns, 1)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct score_options, json)},
        OPT_END,
};

static const struct verb SCORE = {
        .name = "score",
        .usage = "DIR --backend NAME [options]",
        .about = "Sends a backend each recorded prompt together with the primary's answer, and "
                 "records the probability that this backend gives each token of the answer "
                 "(teacher forcing). So plumbline analyze can compare every token, also after the "
                 "first difference and in sampled answers. An answer that has a score is not "
                 "scored again.",
        .options = OPTIONS,
        .examples =
                "plumbline score capture --backend trusted\n"
                "plumbline score capture --backend fp32 --url http://127.0.0.1:8000 --limit 100\n"
                "plumbline score capture --backend base --url http://127.0.0.1:8001 \\\n"
                "    --template gemma",
        .exit_codes =
                "0 all answers that can be scored are scored, 2 command line, or an engine that "
                "can't score, 3 some failed (run the command again), 4 nothing can be scored",
};

/* The state of one run. It can be finished as a whole, whatever stage the run reached. */
struct run {
	const struct score_options *o;
	struct capture *capture;
	struct opinion_engine engine;
	struct score_job_settings job;
	struct recording recording;
	struct score_tally tally;
	uint64_t lost; /* scores that could not be recorded */
};

static char *engines_that_score(void)
{
	struct buf text = {0};
	size_t n;
	const struct dialect *const *all = dialects(&n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->scoring != SCORING_NONE) {
			buf_printf(&text, "%s%s", text.len ? ", " : "", all[i]->title);
		}
	}
	return buf_steal(&text);
}

static int refuse_engine(const struct run *r, const struct dialect *d)
{
	char *able = engines_that_score();
	const struct score_backend *b = &r->engine.backend;
	char *why = xasprintf("%s (%s) is %s, which can't score a given text; these can: %s%s",
	        b->name, b->url, d->title, able,
	        d == &dialect_generic ? ". If it is one of them, name it with --dialect" : "");
	free(able);
	return verb_fail(r->o->verb, EXIT_USAGE, why);
}

/* NULL, or the problem. */
static char *find_template(const char *name, const struct chat_template **ret)
{
	*ret = name ? template_find(name) : NULL;
	if (!name || *ret) {
		return NULL;
	}
	struct buf names = {0};
	for (const char *const *n = template_names(); *n; n++) {
		buf_printf(&names, "%s%s", names.len ? ", " : "", *n);
	}
	char *problem = xasprintf(
	        "there is no template %.60s; the templates are: %s", name, buf_cstr(&names));
	buf_finish(&names);
	return problem;
}

/* Identifies the engine, and finds how to ask it for scores. */
static int find_engine(struct run *r)
{
	const struct score_options *o = r->o;
	struct scorer_settings *s = &r->job.scorer;
	struct opinion_engine_options engine = o->engine;
	engine.with_manifest = true;
	char *problem = find_template(o->template, &s->template);
	int code = problem ? EXIT_USAGE
	                   : opinion_engine_find(r->capture, &engine, &r->engine, &problem);
	if (code != EXIT_PASS) {
		return verb_fail(r->o->verb, code, problem);
	}
	s->line = r->engine.line;
	s->dialect = r->engine.dialect;
	s->prompt = o->prompt;
	s->top = o->top;
	s->timeout_ms = MAX(o->timeout_ns / 1000000, 1);
	return s->dialect->scoring == SCORING_NONE ? refuse_engine(r, s->dialect) : EXIT_PASS;
}

static int open_recorder(struct run *r)
{
	const struct score_options *o = r->o;
	const struct score_backend *b = &r->engine.backend;
	const struct scorer_settings *s = &r->job.scorer;
	/* which capture was scored, and by which backend */
	char *settings = opinion_report_text(json_pack("{s:{s:o, s:o, s:o, s:o, s:o}}", "score",
	        "source", quoted(o->dir), "name", quoted(b->name), "url", quoted(b->url), "dialect",
	        quoted(s->dialect->name), "prompt", quoted(SCORE_PROMPT_WORDS[s->prompt])));
	char *error = annotation_open(o->dir, o->capture, settings, "scores", &r->recording);
	free(settings);
	if (error) {
		return verb_fail(r->o->verb, EXIT_RUNTIME, error);
	}
	r->job.to = &r->recording;
	return EXIT_PASS;
}

static int work(struct run *r)
{
	const struct score_options *o = r->o;
	struct score_job_settings *job = &r->job;
	job->backend = &r->engine.backend;
	job->manifest = r->engine.manifest;
	job->engine = r->engine.identity;
	job->of = o->of;
	job->model = o->model;
	job->limit = o->limit;
	job->concurrency = o->concurrency;
	if ((job->scorer.dialect->abilities & ABILITY_ONE_AT_A_TIME) && o->concurrency > 1) {
		job->concurrency = 1;
	}
	char *problem = score_work(r->capture, job, &r->tally);
	return problem ? verb_fail(r->o->verb, EXIT_RUNTIME, problem) : EXIT_PASS;
}

/* The version that the engine reports, if the engine is of the stated kind. */
static const char *version_of(const struct run *r)
{
	const struct score_job_settings *s = &r->job;
	return s->engine->dialect == s->scorer.dialect ? s->engine->version : NULL;
}

static void print_scored(const struct run *r, FILE *to)
{
	const struct score_job_settings *s = &r->job;
	const struct score_tally *t = &r->tally;
	const char *version = version_of(r), *of = s->of ? s->of : "the primary";
	if (t->wanted == 0 && t->already == 0) {
		bool may_choose = !s->of && strcmp(r->o->verb, SCORE.name) == 0;
		fprintf(to, "There is no answer of %s to score.%s\n", of,
		        may_choose ? " Give --of NAME to score another backend's answers." : "");
		return;
	}
	fprintf(to,
	        "%s (%s%s%s) gave the probabilities of %" PRIu64 " token%s in %" PRIu64
	        " answer%s of %s",
	        r->engine.backend.name, s->scorer.dialect->title, version ? " " : "",
	        version ? version : "", t->tokens, plural(t->tokens, "", "s"), t->scored,
	        plural(t->scored, "", "s"), of);
	opinion_report_print_time(t->seconds, to);
	if (s->scorer.prompt == SCORE_PROMPT_PRIMARY) {
		fputs(", after the recorded prompts", to);
	}
	if (t->already) {
		fprintf(to, "; %" PRIu64 " %s scored before", t->already,
		        plural(t->already, "was", "were"));
	}
	fputs(".\n", to);
}

static void print_text(const struct run *r, FILE *screen)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	const struct score_tally *t = &r->tally;
	print_scored(r, to);
	opinion_report_print(&t->unable, "answer", "can't be scored", to);
	opinion_report_print(&t->failed, "answer", "failed", to);
	if (r->lost) {
		fprintf(to, "%" PRIu64 " score%s could not be written to the capture.\n", r->lost,
		        plural(r->lost, "", "s"));
	}
	if (t->gone) {
		fputs("The engine can no longer be reached. ", to);
	}
	if (t->stopped) {
		fputs("Stopped. ", to);
	}
	bool unfinished = t->gone || t->stopped || t->failed.total > 0 || r->lost > 0;
	if (unfinished) {
		fputs("The scores so far are recorded; run the same command to continue.\n", to);
	}
	terminal_end(&text, screen);
	if (!unfinished && t->scored + t->already > 0) {
		annotation_print_command(r->o->dir, r->o->capture, NULL, NULL, screen);
	}
}

static void print_json(const struct run *r, FILE *to)
{
	const struct score_backend *b = &r->engine.backend;
	const struct score_job_settings *s = &r->job;
	const struct score_tally *t = &r->tally;
	json_t *o = json_object();
	json_object_set_new(o, "capture", quoted(r->o->dir));
	json_object_set_new(o, "backend", quoted(b->name));
	json_object_set_new(o, "url", quoted(b->url));
	json_object_set_new(o, "dialect", quoted(s->scorer.dialect->name));
	json_object_set_new(o, "version", quoted(version_of(r)));
	json_object_set_new(o, "of", quoted(s->of));
	json_object_set_new(o, "prompt", quoted(SCORE_PROMPT_WORDS[s->scorer.prompt]));
	node_set_count(o, "plumbline_score", 1);
	node_set_count(o, "concurrency", s->concurrency);
	node_set_count(o, "wanted", t->wanted);
	node_set_count(o, "scored", t->scored);
	node_set_count(o, "tokens", t->tokens);
	node_set_count(o, "already", t->already);
	node_set_count(o, "lost", r->lost);
	node_set_count(o, "seconds", t->seconds);
	json_object_set_new(o, "unable", opinion_report_reasons(&t->unable));
	json_object_set_new(o, "failed", opinion_report_reasons(&t->failed));
	node_set_flag(o, "gone", t->gone);
	node_set_flag(o, "stopped", t->stopped);
	opinion_report_write(o, to);
}

static int conclude(const struct run *r)
{
	const struct score_tally *t = &r->tally;
	(r->o->json ? print_json : print_text)(r, stdout);
	bool failed = t->failed.total > 0 || t->stopped || t->gone || r->lost > 0;
	return verb_flush(r->o->verb, failed                       ? EXIT_RUNTIME
	                              : t->scored + t->already > 0 ? EXIT_PASS
	                                                           : EXIT_NOT_ENOUGH);
}

int score_run(const struct score_options *o)
{
	char *error = NULL;
	struct run r = {.o = o, .capture = annotation_capture(o->verb, o->dir, o->capture, &error)};
	if (!r.capture) {
		return verb_fail(o->verb, EXIT_USAGE, error);
	}
	int code = find_engine(&r);
	if (code == EXIT_PASS) {
		code = open_recorder(&r);
	}
	if (code == EXIT_PASS) {
		code = work(&r);
		r.lost = recording_close(&r.recording);
		code = code == EXIT_PASS ? conclude(&r) : code;
	}
	score_tally_finish(&r.tally);
	opinion_engine_finish(&r.engine);
	capture_close(r.capture);
	return code;
}

int command_score(int argc, char **argv)
{
	struct score_options o = {
	        .verb = argv[0],
	        .concurrency = SCORE_CONCURRENCY,
	        .top = ASKING_TOP_DEFAULT,
	        .limit = UINT64_MAX,
	        .timeout_ns = DEFAULT_TIMEOUT_NS,
	};
	int code;
	if (!verb_read_dir(&SCORE, argc, argv, &o, &o.dir, &code)) {
		return code;
	}
	return o.engine.name
	               ? score_run(&o)
	               : verb_usage(&SCORE, xstrdup("no backend is given: add --backend NAME"));
}
