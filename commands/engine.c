#include "backends/engine/engine.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

#include "backends/engine/tape.h"
#include "base/conf.h"
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
	FLAG_HELP,
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
        {"help", no_argument, NULL, FLAG_HELP},
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

/* 0: nothing is waited for. */
static bool parse_speed(const char *value, double *ret)
{
	char *problem = strcmp(value, "0") == 0 ? NULL : options_speed("speed", value, ret);
	bool good = !problem;
	*ret = strcmp(value, "0") == 0 ? 0 : *ret;
	free(problem);
	return good;
}

static bool parse_listen(char *value, struct engine_options *o)
{
	char *colon = strrchr(value, ':'), *end;
	if (!colon || colon == value) {
		return false;
	}
	unsigned long port = strtoul(colon + 1, &end, 10);
	if (colon[1] == '\0' || *end != '\0' || port > UINT16_MAX) {
		return false;
	}
	*colon = '\0';
	if (*value == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		value++;
	}
	o->host = value;
	o->port = (uint16_t)port;
	return true;
}

static bool parse_count(const char *value, uint64_t min, uint64_t max, uint64_t *ret)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end != '\0' || errno || n < min || n > max) {
		return false;
	}
	*ret = n;
	return true;
}

static bool parse_word(const char *value, const char *const *words, int *ret)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* A flag that stands for a fault of every request. */
static bool parse_fault(const char *name, const char *value, struct engine_options *o)
{
	char *text = name ? xasprintf("%s=%s", name, value) : xstrdup(value), *problem = NULL;
	bool good = fault_parse(span_of(text), &o->faults, &problem);
	if (!good && !name) {
		fprintf(stderr, "plumbline engine: %s\n", problem);
	}
	free(problem);
	free(text);
	return good;
}

static bool parse_flag(int flag, char *value, struct engine_options *o)
{
	uint64_t n = 0;
	int word = 0;
	bool good = true;
	switch (flag) {
	case FLAG_LISTEN:
		return parse_listen(value, o);
	case FLAG_SEED:
		return parse_count(value, 0, UINT64_MAX, &o->seed);
	case FLAG_MODEL:
		o->model = value;
		return true;
	case FLAG_STRICT_MODEL:
		o->strict_model = true;
		return true;
	case FLAG_WORKERS:
		good = parse_count(value, 1, 64, &n);
		o->workers = (uint32_t)n;
		return good;
	case FLAG_MAX_BATCH:
		good = parse_count(value, 1, UINT32_MAX, &n);
		o->max_batch = (uint32_t)n;
		return good;
	case FLAG_MAX_TOKENS:
		good = parse_count(value, 1, 100000, &n);
		o->default_max_tokens = (int64_t)n;
		return good;
	case FLAG_TTFT:
		return conf_parse_duration(value, &o->ttft_ns);
	case FLAG_ITL:
		return conf_parse_duration(value, &o->itl_ns);
	case FLAG_JITTER:
		return conf_parse_share(value, &o->jitter);
	case FLAG_CANNED:
		o->canned = true;
		return true;
	case FLAG_REPEAT_PENALTY:
		return parse_fault("repeat-penalty", value, o);
	case FLAG_NOISE:
		return parse_fault("noise", value, o);
	case FLAG_FRESH_NOISE:
		o->fresh_noise = true;
		return true;
	case FLAG_QUANTISE:
		return parse_fault("quantise", value, o);
	case FLAG_FAULT:
		return parse_fault(NULL, value, o);
	case FLAG_LOGPROBS_UNASKED:
		good = parse_word(value, UNASKED_WORDS, &word);
		o->logprobs_unasked = (enum engine_unasked)word;
		return good;
	case FLAG_USAGE_UNASKED:
		good = parse_word(value, USAGE_WORDS, &word);
		o->usage_null = (enum engine_usage)word;
		return good;
	case FLAG_REASONING:
		good = parse_word(value, REASONING_WORDS, &word);
		o->reasoning = (enum engine_reasoning)word;
		return good;
	case FLAG_JSON_STYLE:
		good = parse_word(value, JSON_WORDS, &word);
		o->json = (enum engine_json)word;
		return good;
	case FLAG_IDS:
		good = parse_word(value, IDS_WORDS, &word);
		o->ids = (enum engine_ids)word;
		return good;
	case FLAG_TOKEN_IDS:
		o->token_ids = true;
		return true;
	case FLAG_PREFIX_CACHE:
		o->prefix_cache = true;
		return true;
	default:
		return false;
	}
}

/* Of recorded answers. */
static bool parse_recorded(int flag, char *value, struct engine_options *o, struct tape_options *t)
{
	int word = 0;
	switch (flag) {
	case FLAG_FROM:
		t->dir = value;
		return true;
	case FLAG_BACKEND:
		t->backend = value;
		return true;
	case FLAG_SPEED:
		return parse_speed(value, &o->speed);
	case FLAG_NO_WAIT:
		o->speed = 0;
		return true;
	case FLAG_UNKNOWN:
		t->nearest = parse_word(value, UNKNOWN_WORDS, &word) && word == 1;
		return parse_word(value, UNKNOWN_WORDS, &word);
	default:
		return parse_flag(flag, value, o);
	}
}

/* False: wrong usage, which has been said; *ret_help: that was all that was wanted. */
static bool parse(
        int argc, char **argv, struct engine_options *o, struct tape_options *t, bool *ret_help)
{
	int flag, index = -1;
	optind = 1;
	while ((flag = getopt_long(argc, argv, "", FLAGS, &index)) != -1) {
		if (flag == FLAG_HELP) {
			*ret_help = true;
			return true;
		}
		if (flag == '?') {
			return false;
		}
		if (!parse_recorded(flag, optarg, o, t)) {
			fprintf(stderr,
			        "plumbline engine: --%s: \"%s\" is not of the form it takes; see "
			        "--help\n",
			        FLAGS[index].name, optarg ? optarg : "");
			return false;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "plumbline engine: unexpected argument \"%s\"; see --help\n",
		        argv[optind]);
		return false;
	}
	t->strict_model = o->strict_model;
	if (!t->dir && (t->backend || t->nearest || o->speed != 1)) {
		fputs("plumbline engine: --backend, --speed, --no-wait and --unknown are of "
		      "recorded "
		      "answers: --from DIR is wanted too\n",
		        stderr);
		return false;
	}
	return true;
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

int command_engine(int argc, char **argv)
{
	struct engine_options options;
	struct tape_options tape = {0};
	bool help = false;
	engine_options_init(&options);
	if (!parse(argc, argv, &options, &tape, &help)) {
		return EXIT_USAGE;
	}
	if (help) {
		usage();
		return EXIT_PASS;
	}
	int code = tape.dir ? open_tape(&tape, &options) : EXIT_PASS;
	if (code != EXIT_PASS) {
		return code;
	}
	int r = engine_run(&options);
	tape_close(options.tape);
	if (r < 0) {
		fprintf(stderr, "plumbline engine: cannot listen on %s:%u: %s\n", options.host,
		        options.port, uv_strerror(r));
		return EXIT_RUNTIME;
	}
	return EXIT_PASS;
}
