/*
 * plumbline score - a backend scores the tokens that another one gave.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/identify.h"
#include "base/mem.h"
#include "capture/capture_meta.h"
#include "commands/aside_store.h"
#include "commands/commands.h"
#include "base/options.h"
#include "commands/score_report.h"
#include "commands/score_work.h"

#define DEFAULT_CONCURRENCY 4
#define DEFAULT_TOP 5
#define DEFAULT_TIMEOUT_NS (UINT64_C(120) * 1000000000)
#define IDENTIFY_MS 2000
#define STOP_NS (UINT64_C(30) * 1000000000)

static const char USAGE[] =
        "usage: plumbline score DIR --backend NAME [options]\n"
        "\n"
        "Gives the backend each recorded prompt together with the primary's answer, and records "
        "how\n"
        "probable it holds every token of that answer (teacher forcing). So each token can be\n"
        "compared, also behind the first difference and in sampled answers. What has been scored\n"
        "is not scored again; plumbline analyze DIR shows the figures.\n"
        "\n"
        "  --backend NAME     who scores: a backend of the capture's settings, or of -c FILE\n"
        "  -c, --config FILE  look the name up in this configuration of a proxy\n"
        "  --url URL          where it is, if elsewhere; then the name may be a new one\n"
        "  --api-key-env VAR  the environment variable that holds its API key; else as -c FILE "
        "says\n"
        "  --of NAME          whose answers are scored; the primary's if not said\n"
        "  --concurrency N    requests at a time; 4\n"
        "  --top N            alternatives recorded for each token; 5\n"
        "  --model NAME       as the backend calls it; else as asked, or its only one\n"
        "  --prompt WHOSE     own: the scoring engine writes the prompt (default); primary: the\n"
        "                     prompt's tokens are those that were recorded with the answer\n"
        "  --template NAME    how chats are written out, where the engine does not show it\n"
        "  --dialect NAME     which engine it is, if it is not recognised\n"
        "  --limit N          so many answers at most, but for those that can't be scored\n"
        "  --capture OTHERDIR record there and not in a new segment of DIR\n"
        "  --timeout D        of one request; 120s\n"
        "  --json             the summary as JSON\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline score capture --backend trusted\n"
        "  plumbline score capture --backend fp32 --url http://127.0.0.1:8000 --concurrency 2\n"
        "  plumbline score capture --backend base --url http://127.0.0.1:8001 --template gemma\n"
        "\n"
        "exit codes: 0 all that can be scored is, 2 command line or an engine that can't score,\n"
        "3 some failed (run it again), 4 nothing there can be scored\n";

struct options {
	const char *dir, *backend, *config, *url, *key_variable, *of, *model, *template, *dialect,
	        *capture;
	const char *verb; /* that was typed */
	enum score_prompt prompt;
	unsigned concurrency;
	int top;
	uint64_t limit, timeout_ns;
	bool json, help;
};

enum {
	OPTION_BACKEND = 256,
	OPTION_URL,
	OPTION_KEY,
	OPTION_OF,
	OPTION_CONCURRENCY,
	OPTION_TOP,
	OPTION_MODEL,
	OPTION_PROMPT,
	OPTION_TEMPLATE,
	OPTION_DIALECT,
	OPTION_LIMIT,
	OPTION_CAPTURE,
	OPTION_TIMEOUT,
	OPTION_JSON
};

static const struct option OPTIONS[] = {
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"config", required_argument, NULL, 'c'},
        {"url", required_argument, NULL, OPTION_URL},
        {"api-key-env", required_argument, NULL, OPTION_KEY},
        {"of", required_argument, NULL, OPTION_OF},
        {"concurrency", required_argument, NULL, OPTION_CONCURRENCY},
        {"top", required_argument, NULL, OPTION_TOP},
        {"model", required_argument, NULL, OPTION_MODEL},
        {"prompt", required_argument, NULL, OPTION_PROMPT},
        {"template", required_argument, NULL, OPTION_TEMPLATE},
        {"dialect", required_argument, NULL, OPTION_DIALECT},
        {"limit", required_argument, NULL, OPTION_LIMIT},
        {"capture", required_argument, NULL, OPTION_CAPTURE},
        {"timeout", required_argument, NULL, OPTION_TIMEOUT},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *read_prompt(const char *value, enum score_prompt *ret)
{
	for (int i = 0; i < N_SCORE_PROMPTS; i++) {
		if (strcmp(value, SCORE_PROMPT_WORDS[i]) == 0) {
			*ret = (enum score_prompt)i;
			return NULL;
		}
	}
	return xasprintf("--prompt must be own or primary, not \"%.60s\"", value);
}

/* NULL, or the problem. */
static char *take_option(void *arg, int o, const char *value)
{
	struct options *ret = arg;
	uint64_t n = 0;
	char *problem = NULL;
	switch (o) {
	case OPTION_BACKEND:
		ret->backend = value;
		break;
	case 'c':
		ret->config = value;
		break;
	case OPTION_URL:
		ret->url = value;
		break;
	case OPTION_KEY:
		ret->key_variable = value;
		break;
	case OPTION_OF:
		ret->of = value;
		break;
	case OPTION_CONCURRENCY:
		problem = options_number("concurrency", value, 1, SCORE_CONCURRENCY_LIMIT, &n);
		ret->concurrency = (unsigned)n;
		break;
	case OPTION_TOP:
		problem = options_number("top", value, 0, READING_TOP_LIMIT - 1, &n);
		ret->top = (int)n;
		break;
	case OPTION_MODEL:
		ret->model = value;
		break;
	case OPTION_PROMPT:
		problem = read_prompt(value, &ret->prompt);
		break;
	case OPTION_TEMPLATE:
		ret->template = value;
		break;
	case OPTION_DIALECT:
		ret->dialect = value;
		break;
	case OPTION_LIMIT:
		problem = options_number("limit", value, 1, UINT64_MAX - 1, &ret->limit);
		break;
	case OPTION_CAPTURE:
		ret->capture = value;
		break;
	case OPTION_TIMEOUT:
		problem = options_duration("timeout", value, &ret->timeout_ns);
		break;
	case OPTION_JSON:
		ret->json = true;
		break;
	default:
		never("a flag of the table that nobody takes");
	}
	return problem;
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
	return ret->backend ? NULL : xstrdup("which backend is to score? Give --backend NAME");
}

/* All that one run needs; finished whole, however far it came. */
struct run {
	const struct options *o;
	struct capture *capture;
	struct score_backend backend;
	struct identity *engine;
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
	char *why = xasprintf("%s (%s) is %s, which can't score a given text; these can: %s%s",
	        r->backend.name, r->backend.url, d->title, able,
	        d == &dialect_generic ? ". If it is one of them, say so with --dialect" : "");
	free(able);
	return commands_fail(r->o->verb, EXIT_USAGE, why);
}

/* NULL, or the problem. */
static char *find_key(const struct run *r, const char **ret)
{
	const char *variable = r->o->key_variable ? r->o->key_variable : r->backend.api_key_env;
	*ret = variable ? getenv(variable) : NULL;
	return variable && !*ret ? xasprintf("the environment variable %s is not set", variable)
	                         : NULL;
}

static int choose_dialect(struct run *r, const struct dialect **ret)
{
	const char *name = r->o->dialect ? r->o->dialect : r->backend.dialect;
	*ret = name ? dialect_find(name) : r->engine->dialect;
	if (!*ret) {
		return commands_fail(
		        r->o->verb, EXIT_USAGE, xasprintf("no dialect is called %.60s", name));
	}
	return (*ret)->scoring == SCORING_NONE ? refuse_engine(r, *ret) : EXIT_PASS;
}

/* Who is it, and how is it asked? */
static int find_engine(struct run *r)
{
	const struct options *o = r->o;
	const char *key = NULL;
	char *problem = score_backend_find(r->capture, o->config, o->backend, o->url, &r->backend);
	problem = problem ? problem : find_key(r, &key);
	if (problem) {
		return commands_fail(r->o->verb, EXIT_USAGE, problem);
	}
	struct scorer_settings *s = &r->job.scorer;
	s->line = (struct call_line_settings){
	        .url = r->backend.url,
	        .ca_file = r->backend.ca_file,
	        .api_key = key,
	};
	s->prompt = o->prompt;
	s->top = o->top;
	s->timeout_ms = MAX(o->timeout_ns / 1000000, 1);
	s->template = o->template ? template_find(o->template) : NULL;
	if (o->template && !s->template) {
		struct buf names = {0};
		for (const char *const *n = template_names(); *n; n++) {
			buf_printf(&names, "%s%s", names.len ? ", " : "", *n);
		}
		problem = xasprintf("no template is called %.60s; there are: %s", o->template,
		        buf_cstr(&names));
		buf_finish(&names);
		return commands_fail(r->o->verb, EXIT_USAGE, problem);
	}
	struct call_line *line = call_line_create(&s->line, &problem);
	if (!line) {
		return commands_fail(r->o->verb, EXIT_USAGE, problem);
	}
	r->engine = identify(line, IDENTIFY_MS);
	call_line_destroy(line);
	if (!r->engine->reachable) {
		return commands_fail(r->o->verb, EXIT_RUNTIME,
		        xasprintf("%s can't be reached at %s: %s", r->backend.name, r->backend.url,
		                r->engine->problem ? r->engine->problem : "no answer"));
	}
	return choose_dialect(r, &s->dialect);
}

static int open_recorder(struct run *r)
{
	const struct options *o = r->o;
	char *settings = score_report_settings(o->dir, &r->backend, &r->job.scorer);
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
	job->backend = &r->backend;
	job->engine = r->engine;
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
		score_report_json(r->o->dir, &r->backend, &r->job, t, n_lost, stdout);
	} else {
		score_report_text(
		        r->o->dir, r->o->capture, &r->backend, &r->job, t, n_lost, stdout);
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
	identity_destroy(r.engine);
	score_backend_finish(&r.backend);
	capture_close(r.capture);
	return code;
}

int command_score(int argc, char **argv)
{
	struct options o = {
	        .verb = argv[0],
	        .concurrency = DEFAULT_CONCURRENCY,
	        .top = DEFAULT_TOP,
	        .limit = UINT64_MAX,
	        .timeout_ns = DEFAULT_TIMEOUT_NS,
	};
	char *problem = parse_options(argc, argv, &o);
	if (problem) {
		fprintf(stderr, "plumbline %s: %s; see plumbline %s --help\n", o.verb, problem,
		        o.verb);
		free(problem);
		return EXIT_USAGE;
	}
	if (o.help) {
		fputs(USAGE, stdout);
		return EXIT_PASS;
	}
	return run(&o);
}
