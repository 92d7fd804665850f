#include "backends/engine/engine.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "backends/engine/tape.h"
#include "base/conf.h"
#include "base/letters.h"
#include "base/mem.h"
#include "base/reasons.h"
#include "commands/commands.h"
#include "commands/options.h"

enum flag {
	FLAG_LISTEN = 256,
	FLAG_SEED,
	FLAG_MODEL,
	FLAG_STRICT_MODEL,
	FLAG_WORKERS,
	FLAG_MAX_BATCH,
	FLAG_MAX_TOKENS,
	FLAG_TTFT,
	FLAG_ITL,
	FLAG_JITTER,
	FLAG_CANNED,
	FLAG_REPEAT_PENALTY,
	FLAG_NOISE,
	FLAG_FRESH_NOISE,
	FLAG_QUANTISE,
	FLAG_FAULT,
	FLAG_LOGPROBS_UNASKED,
	FLAG_USAGE_UNASKED,
	FLAG_REASONING,
	FLAG_JSON_STYLE,
	FLAG_IDS,
	FLAG_TOKEN_IDS,
	FLAG_PREFIX_CACHE,
	FLAG_FROM,
	FLAG_BACKEND,
	FLAG_SPEED,
	FLAG_NO_WAIT,
	FLAG_UNKNOWN,
};

static const struct option FLAGS[] = {
        {"listen", required_argument, NULL, FLAG_LISTEN},
        {"seed", required_argument, NULL, FLAG_SEED},
        {"model", required_argument, NULL, FLAG_MODEL},
        {"strict-model", no_argument, NULL, FLAG_STRICT_MODEL},
        {"workers", required_argument, NULL, FLAG_WORKERS},
        {"max-batch", required_argument, NULL, FLAG_MAX_BATCH},
        {"max-tokens", required_argument, NULL, FLAG_MAX_TOKENS},
        {"ttft", required_argument, NULL, FLAG_TTFT},
        {"itl", required_argument, NULL, FLAG_ITL},
        {"jitter", required_argument, NULL, FLAG_JITTER},
        {"canned", no_argument, NULL, FLAG_CANNED},
        {"repeat-penalty", required_argument, NULL, FLAG_REPEAT_PENALTY},
        {"noise", required_argument, NULL, FLAG_NOISE},
        {"fresh-noise", no_argument, NULL, FLAG_FRESH_NOISE},
        {"quantise", required_argument, NULL, FLAG_QUANTISE},
        {"fault", required_argument, NULL, FLAG_FAULT},
        {"logprobs-unasked", required_argument, NULL, FLAG_LOGPROBS_UNASKED},
        {"usage-unasked", required_argument, NULL, FLAG_USAGE_UNASKED},
        {"reasoning", required_argument, NULL, FLAG_REASONING},
        {"json-style", required_argument, NULL, FLAG_JSON_STYLE},
        {"ids", required_argument, NULL, FLAG_IDS},
        {"token-ids", no_argument, NULL, FLAG_TOKEN_IDS},
        {"prefix-cache", no_argument, NULL, FLAG_PREFIX_CACHE},
        {"from", required_argument, NULL, FLAG_FROM},
        {"backend", required_argument, NULL, FLAG_BACKEND},
        {"speed", required_argument, NULL, FLAG_SPEED},
        {"no-wait", no_argument, NULL, FLAG_NO_WAIT},
        {"unknown", required_argument, NULL, FLAG_UNKNOWN},
        {"help", no_argument, NULL, 'h'},
        {0},
};

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
	      "  --no-wait                    at once, as --speed 0\n"
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

/* 0: nothing is waited for. */
static char *take_speed(const char *value, double *ret)
{
	double speed;
	if (conf_parse_decimal(value, &speed) && speed == 0) {
		*ret = 0;
		return NULL;
	}
	return options_speed("speed", value, ret);
}

static char *take_listen(struct setup *c, const char *value)
{
	const char *colon = strrchr(value, ':');
	uint64_t port = 0;
	char *problem = NULL;
	if (colon && colon > value) {
		problem = options_number("listen", colon + 1, 0, UINT16_MAX, &port);
	}
	if (!colon || colon == value || problem) {
		free(problem);
		return xasprintf("--listen wants HOST:PORT, not %.60s", value);
	}
	bool bracketed = *value == '[' && colon[-1] == ']';
	free(c->host);
	c->host = span_dup(span_between(value + bracketed, colon - bracketed));
	c->o.host = c->host;
	c->o.port = (uint16_t)port;
	return NULL;
}

static char *take_wait(const char *name, const char *value, uint64_t *ret_ns)
{
	return conf_parse_duration(value, ret_ns)
	               ? NULL
	               : xasprintf("--%s wants a duration (30ms), not %.60s", name, value);
}

/* NULL: a list of faults, by their names. */
static char *take_fault(struct setup *c, const char *name, const char *value)
{
	char *text = name ? xasprintf("%s=%s", name, value) : xstrdup(value), *problem = NULL;
	if (fault_parse(span_of(text), &c->o.faults, &problem)) {
		problem = NULL;
	} else if (name) {
		free(problem);
		problem = xasprintf("--%s wants a number, not %.60s", name, value);
	}
	free(text);
	return problem;
}

static char *take_number(struct setup *c, int flag, const char *value)
{
	uint64_t n = 0;
	char *problem;
	switch (flag) {
	case FLAG_SEED:
		return options_number("seed", value, 0, UINT64_MAX, &c->o.seed);
	case FLAG_WORKERS:
		problem = options_number("workers", value, 1, 64, &n);
		c->o.workers = (uint32_t)n;
		return problem;
	case FLAG_MAX_BATCH:
		problem = options_number("max-batch", value, 1, UINT32_MAX, &n);
		c->o.max_batch = (uint32_t)n;
		return problem;
	case FLAG_MAX_TOKENS:
		problem = options_number("max-tokens", value, 1, 100000, &n);
		c->o.default_max_tokens = (int64_t)n;
		return problem;
	case FLAG_TTFT:
		return take_wait("ttft", value, &c->o.ttft_ns);
	case FLAG_ITL:
		return take_wait("itl", value, &c->o.itl_ns);
	case FLAG_JITTER:
		return options_share("jitter", value, &c->o.jitter);
	case FLAG_SPEED:
		return take_speed(value, &c->o.speed);
	case FLAG_REPEAT_PENALTY:
		return take_fault(c, "repeat-penalty", value);
	case FLAG_NOISE:
		return take_fault(c, "noise", value);
	case FLAG_QUANTISE:
		return take_fault(c, "quantise", value);
	default:
		never("a flag that nobody takes");
	}
}

static char *take_word(struct setup *c, int flag, const char *value)
{
	struct engine_options *o = &c->o;
	int word = 0;
	char *problem;
	switch (flag) {
	case FLAG_LOGPROBS_UNASKED:
		problem = options_word("logprobs-unasked", value, UNASKED_WORDS, &word);
		o->logprobs_unasked = (enum engine_unasked)word;
		return problem;
	case FLAG_USAGE_UNASKED:
		problem = options_word("usage-unasked", value, USAGE_WORDS, &word);
		o->usage_null = (enum engine_usage)word;
		return problem;
	case FLAG_REASONING:
		problem = options_word("reasoning", value, REASONING_WORDS, &word);
		o->reasoning = (enum engine_reasoning)word;
		return problem;
	case FLAG_JSON_STYLE:
		problem = options_word("json-style", value, JSON_WORDS, &word);
		o->json = (enum engine_json)word;
		return problem;
	case FLAG_IDS:
		problem = options_word("ids", value, IDS_WORDS, &word);
		o->ids = (enum engine_ids)word;
		return problem;
	case FLAG_UNKNOWN:
		problem = options_word("unknown", value, UNKNOWN_WORDS, &word);
		c->tape.nearest = word == 1;
		return problem;
	default:
		return take_number(c, flag, value);
	}
}

static char *take_option(void *arg, int flag, const char *value)
{
	struct setup *c = arg;
	switch (flag) {
	case FLAG_LISTEN:
		return take_listen(c, value);
	case FLAG_FAULT:
		return take_fault(c, NULL, value);
	case FLAG_MODEL:
		c->o.model = value;
		return NULL;
	case FLAG_FROM:
		c->tape.dir = value;
		return NULL;
	case FLAG_BACKEND:
		c->tape.backend = value;
		return NULL;
	case FLAG_STRICT_MODEL:
		c->o.strict_model = c->tape.strict_model = true;
		return NULL;
	case FLAG_CANNED:
		c->o.canned = true;
		return NULL;
	case FLAG_FRESH_NOISE:
		c->o.fresh_noise = true;
		return NULL;
	case FLAG_TOKEN_IDS:
		c->o.token_ids = true;
		return NULL;
	case FLAG_PREFIX_CACHE:
		c->o.prefix_cache = true;
		return NULL;
	case FLAG_NO_WAIT:
		c->o.speed = 0;
		return NULL;
	default:
		return take_word(c, flag, value);
	}
}

/* NULL, or what is wrong. */
static char *parse(int argc, char **argv, struct setup *c, bool *ret_help)
{
	struct operands rest;
	char *problem = options_read(argc, argv, FLAGS, take_option, c, &rest);
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
	int r = engine_run(&c->o);
	tape_close(c->o.tape);
	return r < 0 ? commands_fail("engine", EXIT_RUNTIME,
	                       xasprintf("cannot listen on %s:%u: %s", c->o.host, c->o.port,
	                               uv_strerror(r)))
	             : EXIT_PASS;
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
