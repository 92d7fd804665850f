#include "backends/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/tape.h"
#include "base/conf.h"
#include "base/letters.h"
#include "base/mem.h"
#include "base/reasons.h"
#include "commands/commands.h"
#include "base/options.h"

static const char *const UNASKED_WORDS[] = {"null", "absent", NULL};
static const char *const USAGE_WORDS[] = {"absent", "null", "when-asked", NULL};
static const char *const REASONING_WORDS[] = {
        "none", "field:reasoning", "field:reasoning_content", "tags", NULL};
static const char *const JSON_WORDS[] = {"compact", "spaced", "ascii", NULL};
static const char *const UNKNOWN_WORDS[] = {"404", "nearest", NULL};
static const char *const IDS_WORDS[] = {"random", "content", NULL};

static void usage(void)
{
	fputs("plumbline engine: a simulated, OpenAI-compatible engine whose distributions are "
	      "exactly known,\n"
	      "or one that gives the recorded answers of a capture again\n"
	      "\n"
	      "usage: plumbline engine [options]\n"
	      "\n"
	      "  --listen HOST:PORT           default 127.0.0.1:8101; port 0: any, it is printed\n"
	      "  --seed N                     the model's weights; default 0\n"
	      "  --model NAME                 default simulated\n"
	      "  --strict-model               answer 404 to other model names\n"
	      "  --workers N                  threads, each with its own listener; default 1\n"
	      "  --max-tokens N               of a chat that sets none; default 256\n"
	      "pace\n"
	      "  --ttft DURATION              to the first token; default 0: at once\n"
	      "  --itl DURATION               between tokens; default 0\n"
	      "  --jitter SHARE               spread of both (of the log); default 0\n"
	      "  --max-batch N                answers at once, the others wait; default 256 a "
	      "worker\n"
	      "  --canned                     answers made beforehand, for benchmarks\n"
	      "numbers\n"
	      "  --repeat-penalty X           a repetition penalty that nobody asked for\n"
	      "  --noise X                    normal noise on the logits, in nats\n"
	      "  --fresh-noise                other noise for each request\n"
	      "  --quantise X                 logits rounded to multiples of X\n"
	      "dialect\n"
	      "  --logprobs-unasked WORD      null (default) or absent\n"
	      "  --usage-unasked WORD         a null usage in stream events: absent (default), "
	      "null, when-asked\n"
	      "  --reasoning WHERE            none (default), field:reasoning, "
	      "field:reasoning_content, tags\n"
	      "  --json-style STYLE           compact (default), spaced, ascii\n"
	      "  --ids WORD                   random (default), or content: the same request, the "
	      "same bytes\n"
	      "  --token-ids                  ids among the logprobs\n"
	      "  --prefix-cache               tell of cached prompt tokens in usage\n"
	      "recorded answers\n"
	      "  --from DIR                   serve this capture's answers, as and when they came\n"
	      "  --backend NAME               of that backend; default: what clients got\n"
	      "  --speed FACTOR               2x: twice as fast; default 1x\n"
	      "  --no-wait                    at once, as --speed 0, whatever --speed says\n"
	      "  --unknown WORD               a prompt that was not recorded gets: 404 (default), "
	      "or "
	      "the answer to\n"
	      "                               the nearest one\n"
	      "faults: --fault NAME[=VALUE][;NAME...] for all requests, header " FAULT_HEADER
	      " for one\n",
	        stdout);
	fault_help(stdout);
	fputs("\n"
	      "examples\n"
	      "  plumbline engine --listen 127.0.0.1:8101 --seed 7 --ttft 40ms --itl 8ms --jitter "
	      "0.2\n"
	      "  plumbline engine --seed 7 --repeat-penalty 1.1 --noise 0.02\n"
	      "  curl -H 'x-plumbline-fault: reset=5' 127.0.0.1:8101/v1/chat/completions -d \\\n"
	      "    '{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}'\n"
	      "  plumbline engine --from capture --speed 2x\n"
	      "  curl 127.0.0.1:8101/simulated/distribution -d '{\"prompt\":\"The "
	      "river\",\"top\":5}'\n",
	        stdout);
}

/* A command line under way. */
struct setup {
	struct engine_options o;
	struct tape_options tape;
	char *host; /* what o.host points into, once given */
};

/* As struct engine_options has it, where that is narrower than what a slot fills. */
struct words {
	int logprobs, usage, reasoning, json, ids, unknown;
	uint64_t workers, max_batch, max_tokens;
	bool no_wait;
};

/* 0: nothing is waited for. */
static char *take_speed(void *arg, const char *name, const char *value)
{
	double *ret = arg, speed;
	if (conf_parse_decimal(value, &speed) && speed == 0) {
		*ret = 0;
		return NULL;
	}
	return options_speed(name, value, ret);
}

static char *take_listen(void *arg, const char *name, const char *value)
{
	struct setup *c = arg;
	const char *colon = strrchr(value, ':');
	uint64_t port = 0;
	char *problem = NULL;
	if (colon && colon > value) {
		problem = options_number(name, colon + 1, 0, UINT16_MAX, &port);
	}
	if (!colon || colon == value || problem) {
		free(problem);
		return xasprintf("--%s wants HOST:PORT, not %.60s", name, value);
	}
	bool bracketed = *value == '[' && colon[-1] == ']';
	free(c->host);
	c->host = span_dup(span_between(value + bracketed, colon - bracketed));
	c->o.host = c->host;
	c->o.port = (uint16_t)port;
	return NULL;
}

/* 30ms, or 0. */
static char *take_wait(void *arg, const char *name, const char *value)
{
	return conf_parse_duration(value, arg)
	               ? NULL
	               : xasprintf("--%s wants a duration (30ms), not %.60s", name, value);
}

/* A list of faults by their names. */
static char *take_faults(void *arg, const char *name, const char *value)
{
	(void)name;
	struct setup *c = arg;
	char *problem = NULL;
	return fault_parse(span_of(value), &c->o.faults, &problem) ? NULL : problem;
}

/* A fault that has a flag of its name. */
static char *take_fault(void *arg, const char *name, const char *value)
{
	char *text = xasprintf("%s=%s", name, value);
	char *problem = take_faults(arg, name, text);
	free(text);
	if (!problem) {
		return NULL;
	}
	free(problem);
	return xasprintf("--%s wants a number, not %.60s", name, value);
}

static void settle(struct setup *c, const struct words *w)
{
	struct engine_options *o = &c->o;
	o->logprobs_unasked = (enum engine_unasked)w->logprobs;
	o->usage_null = (enum engine_usage)w->usage;
	o->reasoning = (enum engine_reasoning)w->reasoning;
	o->json = (enum engine_json)w->json;
	o->ids = (enum engine_ids)w->ids;
	o->workers = (uint32_t)w->workers;
	o->max_batch = (uint32_t)w->max_batch;
	o->default_max_tokens = (int64_t)w->max_tokens;
	o->speed = w->no_wait ? 0 : o->speed;
	c->tape.nearest = w->unknown == 1;
	c->tape.strict_model = o->strict_model;
}

static char *fill(int argc, char **argv, struct setup *c, struct operands *ret)
{
	struct engine_options *o = &c->o;
	struct words w = {
	        .workers = o->workers,
	        .max_batch = o->max_batch,
	        .max_tokens = (uint64_t)o->default_max_tokens,
	};
	const struct option_slot slots[] = {
	        {"listen", .own = take_listen, .arg = c},
	        {"seed", .number = &o->seed},
	        {"model", .text = &o->model},
	        {"strict-model", .on = &o->strict_model},
	        {"workers", .number = &w.workers, .low = 1, .high = 64},
	        {"max-batch", .number = &w.max_batch, .low = 1, .high = UINT32_MAX},
	        {"max-tokens", .number = &w.max_tokens, .low = 1, .high = 100000},
	        {"ttft", .own = take_wait, .arg = &o->ttft_ns},
	        {"itl", .own = take_wait, .arg = &o->itl_ns},
	        {"jitter", .share = &o->jitter},
	        {"canned", .on = &o->canned},
	        {"repeat-penalty", .own = take_fault, .arg = c},
	        {"noise", .own = take_fault, .arg = c},
	        {"fresh-noise", .on = &o->fresh_noise},
	        {"quantise", .own = take_fault, .arg = c},
	        {"fault", .own = take_faults, .arg = c},
	        {"logprobs-unasked", .word = &w.logprobs, .words = UNASKED_WORDS},
	        {"usage-unasked", .word = &w.usage, .words = USAGE_WORDS},
	        {"reasoning", .word = &w.reasoning, .words = REASONING_WORDS},
	        {"json-style", .word = &w.json, .words = JSON_WORDS},
	        {"ids", .word = &w.ids, .words = IDS_WORDS},
	        {"token-ids", .on = &o->token_ids},
	        {"prefix-cache", .on = &o->prefix_cache},
	        {"from", .text = &c->tape.dir},
	        {"backend", .text = &c->tape.backend},
	        {"speed", .own = take_speed, .arg = &o->speed},
	        {"no-wait", .on = &w.no_wait},
	        {"unknown", .word = &w.unknown, .words = UNKNOWN_WORDS},
	        {0},
	};
	char *problem = options_fill(argc, argv, slots, ret);
	settle(c, &w);
	return problem;
}

/* NULL, or what is wrong. */
static char *parse(int argc, char **argv, struct setup *c, bool *ret_help)
{
	struct operands rest = {0};
	char *problem = fill(argc, argv, c, &rest);
	*ret_help = rest.help;
	if (problem || rest.help) {
		return problem;
	}
	if (rest.n > 0) {
		return xasprintf("unexpected argument \"%.60s\"", rest.words[0]);
	}
	const struct tape_options *t = &c->tape;
	return !t->dir && (t->backend || t->nearest || c->o.speed != 1)
	               ? xstrdup("--backend, --speed, --no-wait and --unknown are of recorded "
	                         "answers: --from DIR is wanted too")
	               : NULL;
}

static int open_tape(const struct tape_options *t, struct engine_options *o)
{
	char *problem = NULL;
	size_t n_models;
	o->tape = tape_open(t, &problem);
	if (!o->tape) {
		return commands_fail("engine", EXIT_USAGE, problem);
	}
	const struct reasons *out = tape_left_out(o->tape);
	tape_models(o->tape, &n_models);
	fprintf(stderr, "plumbline engine: %zu recorded answers to %zu questions, %zu models\n",
	        tape_takes(o->tape), tape_questions(o->tape), n_models);
	for (size_t i = 0; i < out->n; i++) {
		fprintf(stderr, "plumbline engine: %llu left out: %s\n",
		        (unsigned long long)out->items[i].n, out->items[i].why);
	}
	if (tape_takes(o->tape) == 0) {
		tape_close(o->tape);
		o->tape = NULL;
		return commands_fail("engine", EXIT_NOT_ENOUGH,
		        xasprintf("%s holds no answer that can be given again%s%s", t->dir,
		                t->backend ? " of a backend called " : "",
		                t->backend ? t->backend : ""));
	}
	return EXIT_PASS;
}

static int serve(struct setup *c)
{
	int code = c->tape.dir ? open_tape(&c->tape, &c->o) : EXIT_PASS;
	if (code != EXIT_PASS) {
		return code;
	}
	char *problem = engine_run(&c->o);
	tape_close(c->o.tape);
	return problem ? commands_fail("engine", EXIT_RUNTIME, problem) : EXIT_PASS;
}

int command_engine(int argc, char **argv)
{
	struct setup c = {0};
	bool help;
	int code = EXIT_PASS;
	engine_options_init(&c.o);
	char *problem = parse(argc, argv, &c, &help);
	if (problem) {
		code = commands_fail("engine", EXIT_USAGE, problem);
	} else if (help) {
		usage();
	} else {
		code = serve(&c);
	}
	free(c.host);
	return code;
}
