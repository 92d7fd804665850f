/*
 * plumbline score - a backend scores the tokens that another backend generated.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/injection/asking.h"
#include "base/mem.h"
#include "capture/capture_meta.h"
#include "cli/opinions/aside_store.h"
#include "cli/commands.h"
#include "base/options.h"
#include "cli/opinions/opinion_engine.h"
#include "cli/opinions/score_report.h"
#include "cli/opinions/score_work.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)
#define STOP_NS (UINT64_C(30) * 1000000000)

struct options {
	const char *dir, *backend, *config, *url, *key_variable, *of, *model, *template, *dialect,
	        *capture;
	const char *verb; /* the command name that the user typed */
	enum score_prompt prompt;
	unsigned concurrency;
	int top;
	uint64_t limit, timeout_ns;
	bool json;
};

static const struct option_row OPTIONS[] = {
        {"backend", 0, "NAME",
                "the backend that scores: one of the capture's settings, or of -c FILE",
                OPT_TEXT(struct options, backend)},
        {"config", 'c', "FILE", "look the name up in this configuration of a proxy",
                OPT_TEXT(struct options, config)},
        {"url", 0, "URL", "its address, if it is another; the name may be a new one then",
                OPT_TEXT(struct options, url)},
        {"api-key-env", 0, "VAR",
                "the environment variable that holds its API key (as -c FILE says)",
                OPT_TEXT(struct options, key_variable)},
        {"of", 0, "NAME", "score the answers of this backend (the primary)",
                OPT_TEXT(struct options, of)},
        {"concurrency", 0, "N", "requests in flight (4)",
                OPT_NUMBER(struct options, concurrency, 1, SCORE_CONCURRENCY_LIMIT)},
        {"top", 0, "N", "record N alternatives for each token (5)",
                OPT_NUMBER(struct options, top, 0, READING_TOP_LIMIT - 1)},
        {"model", 0, "NAME", "the model's name at the backend (as recorded, or its only one)",
                OPT_TEXT(struct options, model)},
        {"prompt", 0, "WHOSE",
                "own: the scoring engine writes the prompt (default); primary: the prompt's tokens "
                "are those that were recorded with the answer",
                OPT_WORD(struct options, prompt, SCORE_PROMPT_WORDS)},
        {"template", 0, "NAME", "how chats are written out, if the engine does not show it",
                OPT_TEXT(struct options, template)},
        {"dialect", 0, "NAME", "the kind of engine, if it is not recognised",
                OPT_TEXT(struct options, dialect)},
        {"limit", 0, "N", "score at most N answers, not counting those that can't be scored",
                OPT_NUMBER(struct options, limit, 1, UINT64_MAX)},
        {"capture", 0, "OTHERDIR", "record there, not in a new segment of DIR",
                OPT_TEXT(struct options, capture)},
        {"timeout", 0, "TIME", "the limit of a request (120s)",
                OPT_DURATION(struct options, timeout_ns, 1)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct options, json)},
        OPT_END,
};

static const struct verb SCORE = {
        .name = "score",
        .usage = "DIR --backend NAME [options]",
        .about = "Gives the backend each recorded prompt together with the primary's answer, and "
                 "records how probable it finds each token of that answer (teacher forcing). So "
                 "each token can be compared, also after the first difference and in sampled "
                 "answers; plumbline analyze DIR shows the figures. An answer that has a score is "
                 "not scored again.",
        .options = OPTIONS,
        .examples =
                "plumbline score capture --backend trusted\n"
                "plumbline score capture --backend fp32 --url http://127.0.0.1:8000 --concurrency "
                "2\n"
                "plumbline score capture --backend base --url http://127.0.0.1:8001 --template "
                "gemma",
        .exit_codes = "0 all that can be scored is scored, 2 command line, or an engine that can't "
                      "score, 3 some failed (run it again), 4 nothing there can be scored",
};

static char *settle(const struct operands *rest, struct options *o)
{
	if (rest->n != 1) {
		return xstrdup("which capture? Give one directory");
	}
	o->dir = rest->words[0];
	return o->backend ? NULL : xstrdup("which backend is to score? Give --backend NAME");
}

/* The state of one run. It can be finished as a whole, whatever stage the run reached. */
struct run {
	const struct options *o;
	struct capture *capture;
	struct opinion_engine engine;
	struct score_job_settings job;
	struct aside_store store;
	struct score_tally tally;
};

static int open_capture(struct run *r)
{
	char *error = NULL;
	r->capture = aside_capture(r->o->dir, r->o->capture, &error);
	return r->capture ? EXIT_PASS : commands_fail(r->o->verb, EXIT_USAGE, error);
}

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
	        d == &dialect_generic ? ". If it is one of them, say so with --dialect" : "");
	free(able);
	return commands_fail(r->o->verb, EXIT_USAGE, why);
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
	char *problem =
	        xasprintf("no template is called %.60s; there are: %s", name, buf_cstr(&names));
	buf_finish(&names);
	return problem;
}

/* Identifies the engine, and finds how to ask it for scores. */
static int find_engine(struct run *r)
{
	const struct options *o = r->o;
	const struct opinion_engine_wish wish = {
	        .name = o->backend,
	        .config = o->config,
	        .url = o->url,
	        .key_variable = o->key_variable,
	        .dialect = o->dialect,
	};
	struct scorer_settings *s = &r->job.scorer;
	char *problem = find_template(o->template, &s->template);
	int code =
	        problem ? EXIT_USAGE : opinion_engine_find(r->capture, &wish, &r->engine, &problem);
	if (code != EXIT_PASS) {
		return commands_fail(r->o->verb, code, problem);
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
	const struct options *o = r->o;
	char *settings = score_report_settings(o->dir, &r->engine.backend, &r->job.scorer);
	char *error = aside_open(o->dir, o->capture, settings, "scores", &r->store);
	free(settings);
	if (error) {
		return commands_fail(r->o->verb, EXIT_RUNTIME, error);
	}
	r->job.recorder = r->store.recorder;
	r->job.book = r->store.book;
	return EXIT_PASS;
}

static int work(struct run *r)
{
	const struct options *o = r->o;
	struct score_job_settings *job = &r->job;
	job->backend = &r->engine.backend;
	job->engine = r->engine.identity;
	job->of = o->of;
	job->model = o->model;
	job->limit = o->limit;
	job->concurrency = o->concurrency;
	if ((job->scorer.dialect->abilities & ABILITY_ONE_AT_A_TIME) && o->concurrency > 1) {
		job->concurrency = 1;
	}
	char *problem = score_work(r->capture, job, &r->tally);
	return problem ? commands_fail(r->o->verb, EXIT_RUNTIME, problem) : EXIT_PASS;
}

static int conclude(struct run *r, uint64_t n_lost)
{
	const struct score_tally *t = &r->tally;
	if (r->o->json) {
		score_report_json(r->o->dir, &r->engine.backend, &r->job, t, n_lost, stdout);
	} else {
		score_report_text(
		        r->o->dir, r->o->capture, &r->engine.backend, &r->job, t, n_lost, stdout);
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return commands_fail(
		        r->o->verb, EXIT_RUNTIME, xstrdup("the summary can't be written"));
	}
	if (t->failed.total > 0 || t->stopped || t->gone || n_lost > 0) {
		return EXIT_RUNTIME;
	}
	return t->scored + t->already > 0 ? EXIT_PASS : EXIT_NOT_ENOUGH;
}

static int run(const struct options *o)
{
	struct run r = {.o = o};
	int code = open_capture(&r);
	if (code == EXIT_PASS) {
		code = find_engine(&r);
	}
	if (code == EXIT_PASS) {
		code = open_recorder(&r);
	}
	if (code == EXIT_PASS) {
		code = work(&r);
		recorder_stop(r.job.recorder, STOP_NS);
		code = code == EXIT_PASS ? conclude(&r, ledger_lost(r.store.ledger)) : code;
	}
	score_tally_finish(&r.tally);
	ledger_destroy(r.store.ledger);
	opinion_engine_finish(&r.engine);
	capture_close(r.capture);
	return code;
}

int command_score(int argc, char **argv)
{
	struct options o = {
	        .verb = argv[0],
	        .concurrency = DEFAULT_CONCURRENCY,
	        .top = ASKING_TOP_DEFAULT,
	        .limit = UINT64_MAX,
	        .timeout_ns = DEFAULT_TIMEOUT_NS,
	};
	struct operands rest;
	int code;
	if (!commands_read(&SCORE, argc, argv, &o, &rest, &code)) {
		return code;
	}
	char *problem = settle(&rest, &o);
	return problem ? commands_usage(&SCORE, problem) : run(&o);
}
