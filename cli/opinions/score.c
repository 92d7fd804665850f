/*
 * plumbline score - a backend scores the tokens that another backend generated.
 */
#include "cli/opinions/score.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine_identity.h"
#include "backends/injection/asking.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/opinions/opinion_run.h"
#include "cli/verb.h"

#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)

static const struct option_row OPTIONS[] = {
        {"backend", 0, "NAME", "score with this backend of the capture's settings or of -c FILE",
                OPT_TEXT(struct score_run, asked_engine.name)},
        {"url", 0, "URL", "use this address instead of the recorded one; NAME may then be new",
                OPT_TEXT(struct score_run, asked_engine.url)},
        OPT_INCLUDE(OPINION_ENGINE_OPTIONS, struct score_run, asked_engine),
        {"of", 0, "NAME", "score the answers of this backend (the primary)",
                OPT_TEXT(struct score_run, job.of)},
        {"concurrency", 0, "N", "requests in progress (4)",
                OPT_NUMBER(struct score_run, job.concurrency, 1, ANNOTATOR_WORKERS)},
        {"top", 0, "N", "record N alternatives for each token (5)",
                OPT_NUMBER(struct score_run, job.scorer.top, 0, READING_TOP_LIMIT - 1)},
        {"model", 0, "NAME", "name of the model at the backend (as recorded, or its only one)",
                OPT_TEXT(struct score_run, model)},
        {"prompt", 0, "WHOSE",
                "own: the scoring engine makes the tokens of the prompt (default); primary: use "
                "the tokens that were recorded with the answer",
                OPT_WORD(struct score_run, job.scorer.prompt, SCORE_PROMPT_WORDS)},
        {"template", 0, "NAME", "write chats in this form, if the engine does not show its own",
                OPT_TEXT(struct score_run, template)},
        {"limit", 0, "N", "score at most N answers, without those that can't be scored",
                OPT_NUMBER(struct score_run, job.limit, 1, UINT64_MAX)},
        {"capture", 0, "OTHERDIR", "record in this capture instead of DIR",
                OPT_TEXT(struct score_run, run.to)},
        {"timeout", 0, "TIME", "time limit of a request (120s)",
                OPT_DURATION(struct score_run, timeout_ns, 1)},
        {"json", 0, NULL, "print the summary as JSON", OPT_BOOL(struct score_run, json)},
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

static int refuse_engine(const struct score_run *r, const struct dialect *d)
{
	char *able = engines_that_score();
	const struct known_backend *b = &r->engine.backend;
	char *why = xasprintf("%s (%s) is %s, which can't score a given text; these can: %s%s",
	        b->name, b->url, d->title, able,
	        d == &dialect_generic ? ". If it is one of them, name it with --dialect" : "");
	free(able);
	return verb_fail(r->run.verb, EXIT_USAGE, why);
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

/* The model's name at the backend. An engine with only one model is asked for that one. */
static const char *model_for(const void *arg, const char *requested)
{
	const struct score_run *r = arg;
	const struct engine_identity *engine = r->engine.identity;
	return r->model                ? r->model
	       : engine->n_models == 1 ? engine->models[0]
	                               : known_backend_model(&r->engine.backend, requested);
}

/* Identifies the engine, and finds how to ask it for scores. */
static int find_engine(struct score_run *r)
{
	const struct known_backend *b = &r->engine.backend;
	struct score_job *j = &r->job;
	r->asked_engine.with_manifest = true;
	char *problem = find_template(r->template, &j->scorer.template);
	int code = problem ? EXIT_USAGE
	                   : opinion_engine_find(
	                             r->run.capture, &r->asked_engine, &r->engine, &problem);
	if (code != EXIT_PASS) {
		return verb_fail(r->run.verb, code, problem);
	}
	const struct dialect *dialect = r->engine.dialect;
	j->scorer.line = r->engine.line;
	j->scorer.dialect = dialect;
	j->scorer.timeout_ms = MAX(r->timeout_ns / 1000000, 1);
	j->capture = r->run.capture;
	j->to = &r->run.recording;
	j->name = b->name;
	j->url = b->url;
	j->role = b->role;
	j->manifest = r->engine.manifest;
	j->model = model_for;
	j->arg = r;
	j->concurrency = dialect->abilities & ABILITY_ONE_AT_A_TIME ? 1 : j->concurrency;
	return dialect->scoring == SCORING_NONE ? refuse_engine(r, dialect) : EXIT_PASS;
}

static int work(struct score_run *r)
{
	const struct score_job *j = &r->job;
	/* which capture was scored, and by which backend */
	struct buf settings = {0};
	struct json_writer w = {.to = &settings};
	json_writer_open(&w, NULL, '{');
	json_writer_open(&w, "score", '{');
	json_writer_text(&w, "source", r->run.dir);
	json_writer_text(&w, "name", j->name);
	json_writer_text(&w, "url", j->url);
	json_writer_text(&w, "dialect", j->scorer.dialect->name);
	json_writer_text(&w, "prompt", SCORE_PROMPT_WORDS[j->scorer.prompt]);
	json_writer_close(&w, "}}");
	int code = opinion_run_begin_segment(&r->run, buf_cstr(&settings), "scores");
	buf_finish(&settings);
	return code == EXIT_PASS ? opinion_run_end_segment(&r->run, score_answers(&r->job)) : code;
}

/* The version that the engine reports, if the engine is of the stated kind. */
static const char *version_of(const struct score_run *r)
{
	const struct engine_identity *engine = r->engine.identity;
	return engine->dialect == r->job.scorer.dialect ? engine->version : NULL;
}

static void print_scored(const struct score_run *r, FILE *to)
{
	const struct score_job *j = &r->job;
	const char *version = version_of(r), *of = j->of ? j->of : "the primary";
	if (j->wanted == 0 && j->already == 0) {
		bool may_choose = !j->of && strcmp(r->run.verb, SCORE.name) == 0;
		fprintf(to, "There is no answer of %s to score.%s\n", of,
		        may_choose ? " Give --of NAME to score another backend's answers." : "");
		return;
	}
	fprintf(to,
	        "%s (%s%s%s) gave the probabilities of %" PRIu64 " token%s in %" PRIu64
	        " answer%s of %s",
	        j->name, j->scorer.dialect->title, version ? " " : "", version ? version : "",
	        j->tokens, plural(j->tokens, "", "s"), j->tally.done,
	        plural(j->tally.done, "", "s"), of);
	opinion_run_print_time(&j->tally, to);
	if (j->scorer.prompt == SCORE_PROMPT_PRIMARY) {
		fputs(", after the recorded prompts", to);
	}
	if (j->already) {
		fprintf(to, "; %" PRIu64 " %s scored before", j->already,
		        plural(j->already, "was", "were"));
	}
	fputs(".\n", to);
}

static void print_text(const struct score_run *r)
{
	struct terminal_text text;
	FILE *to = terminal_begin(&text);
	const struct annotator_tally *t = &r->job.tally;
	print_scored(r, to);
	opinion_run_print_reasons(&t->unable, "answer", "can't be scored", to);
	opinion_run_print_reasons(&t->failed, "answer", "failed", to);
	opinion_run_print_end(&r->run, t, "score", "scores", to);
	terminal_end(&text, stdout);
	if (!opinion_run_is_unfinished(&r->run, t) && t->done + r->job.already > 0) {
		opinion_run_print_command(r->run.dir, r->run.to, NULL, NULL, stdout);
	}
}

static void print_json(const struct score_run *r)
{
	const struct score_job *j = &r->job;
	const struct annotator_tally *t = &j->tally;
	struct buf text = {0};
	struct json_writer w = {.to = &text};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "capture", r->run.dir);
	json_writer_text(&w, "backend", j->name);
	json_writer_text(&w, "url", j->url);
	json_writer_text(&w, "dialect", j->scorer.dialect->name);
	json_writer_text(&w, "version", version_of(r));
	json_writer_text(&w, "of", j->of);
	json_writer_text(&w, "prompt", SCORE_PROMPT_WORDS[j->scorer.prompt]);
	json_writer_count(&w, "plumbline_score", 1);
	json_writer_count(&w, "concurrency", j->concurrency);
	json_writer_count(&w, "wanted", j->wanted);
	json_writer_count(&w, "scored", t->done);
	json_writer_count(&w, "tokens", j->tokens);
	json_writer_count(&w, "already", j->already);
	json_writer_count(&w, "lost", r->run.lost);
	json_writer_count(&w, "seconds", t->seconds);
	error_tally_json(&t->unable, "unable", &w);
	error_tally_json(&t->failed, "failed", &w);
	json_writer_bool(&w, "gone", t->gone);
	json_writer_bool(&w, "stopped", t->stopped);
	opinion_run_print_json(&w, stdout);
}

static int conclude(const struct score_run *r)
{
	(r->json ? print_json : print_text)(r);
	return verb_flush(r->run.verb, opinion_run_is_unfinished(&r->run, &r->job.tally)
	                                       ? EXIT_RUNTIME
	                               : r->job.tally.done + r->job.already > 0 ? EXIT_PASS
	                                                                        : EXIT_NOT_ENOUGH);
}

int score_run(struct score_run *r)
{
	int code = opinion_run_open(&r->run);
	if (code == EXIT_PASS) {
		code = find_engine(r);
	}
	if (code == EXIT_PASS) {
		code = work(r);
	}
	if (code == EXIT_PASS) {
		code = conclude(r);
	}
	annotator_tally_finish(&r->job.tally);
	opinion_engine_finish(&r->engine);
	opinion_run_close(&r->run);
	return code;
}

int command_score(int argc, char **argv)
{
	struct score_run r = {
	        .run.verb = argv[0],
	        .timeout_ns = DEFAULT_TIMEOUT_NS,
	        .job = {.concurrency = SCORE_CONCURRENCY,
	                .limit = UINT64_MAX,
	                .scorer.top = ASKING_TOP_DEFAULT},
	};
	int code;
	if (!verb_read_dir(&SCORE, argc, argv, &r, &r.run.dir, &code)) {
		return code;
	}
	return r.asked_engine.name
	               ? score_run(&r)
	               : verb_usage(&SCORE, xstrdup("no backend is given: add --backend NAME"));
}
