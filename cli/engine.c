#include "backends/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/engine/recorded_answers.h"
#include "base/authority.h"
#include "base/conf.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "cli/verb.h"

static const char *const UNASKED_WORDS[] = {"null", "absent", NULL};
static const char *const REASONING_WORDS[] = {
        "none", "field:reasoning", "field:reasoning_content", "tags", NULL};
/* By enum json_style. */
static const char *const JSON_WORDS[] = {"compact", "spaced", "ascii", NULL};
static const char *const UNKNOWN_WORDS[] = {"404", "nearest", NULL};
static const char *const IDS_WORDS[] = {"random", "content", NULL};

/* A command line in progress. */
struct setup {
	struct engine_options o;
	struct recorded_answers_options tape;
	bool no_wait;
	char *host; /* o.host points into this string once a host was given */
};

/* Reads a speed; 0: do not wait at all. */
static char *read_speed(void *arg, const char *name, const char *value)
{
	double *ret = arg, speed;
	if (conf_parse_decimal(value, &speed) && speed == 0) {
		*ret = 0;
		return NULL;
	}
	return options_speed(name, value, ret);
}

static char *read_listen(void *arg, const char *name, const char *value)
{
	struct setup *c = arg;
	char *host;
	char *problem = authority_read_listen(value, "127.0.0.1", &host, &c->o.port);
	if (problem) {
		char *sentence = xasprintf("--%s %s", name, problem);
		free(problem);
		return sentence;
	}
	free(c->host);
	c->o.host = c->host = host;
	return NULL;
}

/* A list of faults by their names. */
static char *read_faults(void *arg, const char *name, const char *value)
{
	(void)name;
	struct setup *c = arg;
	char *problem = NULL;
	return fault_parse(span_of(value), &c->o.faults, &problem) ? NULL : problem;
}

/* Reads a fault that has a flag of its own, named after it. */
static char *read_fault(void *arg, const char *name, const char *value)
{
	char *text = xasprintf("%s=%s", name, value);
	char *problem = read_faults(arg, name, text);
	free(text);
	if (!problem) {
		return NULL;
	}
	free(problem);
	return xasprintf("--%s needs a number, not %.60s", name, value);
}

static void list_faults(FILE *to)
{
	fputs("\nnames and values of faults (default values are shown):\n", to);
	fault_help(to);
}

static const struct option_row OPTIONS[] = {
        {"listen", 0, "HOST:PORT",
                "listen on this address (127.0.0.1:8101); port 0: use and print any free port",
                OPT_CALL_ALL(read_listen)},
        {"seed", 0, "N", "use this seed for the model's weights (0)",
                OPT_NUMBER(struct setup, o.seed, 0, UINT64_MAX)},
        {"random-seed", 0, "N",
                "use this seed for draws, fresh noise and jitter (0: another one at each start)",
                OPT_NUMBER(struct setup, o.random_seed, 0, UINT64_MAX)},
        {"model", 0, "NAME", "name of the model (simulated)", OPT_TEXT(struct setup, o.model)},
        {"strict-model", 0, NULL, "answer 404 to requests for another model",
                OPT_BOOL(struct setup, o.strict_model)},
        {"workers", 0, "N", "run N threads, each with its own listener (1)",
                OPT_NUMBER(struct setup, o.workers, 1, 64)},
        {"max-tokens", 0, "N", "token limit of a chat that sets none (256)",
                OPT_NUMBER(struct setup, o.default_max_tokens, 1, 100000)},
        OPT_GROUP("timing:"),
        {"ttft", 0, "TIME", "time to the first token (0)",
                OPT_DURATION(struct setup, o.ttft_ns, 0)},
        {"itl", 0, "TIME", "time between tokens (0)", OPT_DURATION(struct setup, o.itl_ns, 0)},
        {"jitter", 0, "SHARE",
                "random spread of both times: standard deviation of the logarithm (0)",
                OPT_SHARE(struct setup, o.jitter)},
        {"max-batch", 0, "N", "answer N requests of a worker at a time; others wait (256)",
                OPT_NUMBER(struct setup, o.max_batch, 1, UINT32_MAX)},
        {"canned", 0, NULL, "prepare all answers before the first request, for benchmarks",
                OPT_BOOL(struct setup, o.canned)},
        OPT_GROUP("faults of the model's numbers:"),
        {"repeat-penalty", 0, "X", "apply this repetition penalty to requests that set none, or 1",
                OPT_CALL_ALL(read_fault)},
        {"noise", 0, "X", "add normal noise of this size, in nats, to the logits",
                OPT_CALL_ALL(read_fault)},
        {"fresh-noise", 0, NULL, "use different noise for each request",
                OPT_BOOL(struct setup, o.fresh_noise)},
        {"quantise", 0, "X", "round logits to multiples of X", OPT_CALL_ALL(read_fault)},
        OPT_GROUP("form of answers:"),
        {"logprobs-unasked", 0, "WORD",
                "logprobs of a choice if none were requested: null (default) or absent",
                OPT_WORD(struct setup, o.logprobs_unasked, UNASKED_WORDS)},
        {"reasoning", 0, "WHERE",
                "where a chat's reasoning goes: none (default), field:reasoning, "
                "field:reasoning_content or tags",
                OPT_WORD(struct setup, o.reasoning, REASONING_WORDS)},
        {"json-style", 0, "STYLE", "how to write JSON: compact (default), spaced or ascii",
                OPT_WORD(struct setup, o.json, JSON_WORDS)},
        {"ids", 0, "WORD",
                "how to make ids: random (default), or content: equal requests get equal bytes",
                OPT_WORD(struct setup, o.ids, IDS_WORDS)},
        {"token-ids", 0, NULL, "add token ids to the logprobs",
                OPT_BOOL(struct setup, o.token_ids)},
        {"prefix-cache", 0, NULL, "report cached prompt tokens in usage",
                OPT_BOOL(struct setup, o.prefix_cache)},
        OPT_GROUP("recorded answers:"),
        {"from", 0, "DIR", "serve the answers of this capture, with their recorded timing",
                OPT_TEXT(struct setup, tape.dir)},
        {"backend", 0, "NAME", "serve the answers of this backend (default: the primary's)",
                OPT_TEXT(struct setup, tape.backend)},
        {"speed", 0, "FACTOR", "answer at this speed (1x); 2x: twice as fast; 0: at once",
                OPT_CALL(struct setup, o.speed, read_speed)},
        {"no-wait", 0, NULL, "answer at once, as --speed 0", OPT_BOOL(struct setup, no_wait)},
        {"unknown", 0, "WORD",
                "give a prompt that was not recorded 404 (default), or the answer to the nearest "
                "recorded one",
                OPT_WORD(struct setup, tape.nearest, UNKNOWN_WORDS)},
        OPT_GROUP("faults:"),
        {"fault", 0, "NAME[=VALUE][;...]",
                "apply faults to all requests; the header " FAULT_HEADER " applies them to one",
                OPT_CALL_ALL(read_faults)},
        OPT_END,
};

static const struct verb ENGINE = {
        .name = "engine",
        .usage = "[options]",
        .about = "Runs a simulated, OpenAI-compatible engine whose distributions are known "
                 "exactly, or one that serves the recorded answers of a capture.",
        .options = OPTIONS,
        .list = list_faults,
        .examples =
                "plumbline engine --listen 127.0.0.1:8101 --seed 7 --ttft 40ms --itl 8ms\n"
                "plumbline engine --seed 7 --repeat-penalty 1.1 --noise 0.02\n"
                "curl -H 'x-plumbline-fault: reset=5' 127.0.0.1:8101/v1/chat/completions -d \\\n"
                "  '{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":"
                "\"Hello\"}]}'\n"
                "plumbline engine --from capture --speed 2x\n"
                "curl 127.0.0.1:8101/simulated/distribution -d '{\"prompt\":\"The "
                "river\",\"top\":5}'",
        .exit_codes = "0 stopped by a signal, 2 command line or not a capture, 3 run-time error, 4 "
                      "the capture has no answer that can be served",
};

/* NULL, or an error message. */
static char *settle(const struct operands *rest, struct setup *c)
{
	struct recorded_answers_options *t = &c->tape;
	c->o.speed = c->no_wait ? 0 : c->o.speed;
	t->strict_model = c->o.strict_model;
	if (rest->n > 0) {
		return xasprintf("unexpected argument \"%.60s\"", rest->words[0]);
	}
	return !t->dir && (t->backend || t->nearest || c->o.speed != 1)
	               ? xstrdup("--backend, --speed, --no-wait and --unknown are only for "
	                         "recorded answers; add --from DIR")
	               : NULL;
}

static int open_tape(const struct recorded_answers_options *t, struct engine_options *o)
{
	char *problem = NULL;
	o->tape = recorded_answers_open(t, &problem);
	if (!o->tape) {
		return verb_fail("engine", EXIT_USAGE, problem);
	}
	const struct recorded_answers_summary *tape = recorded_answers_summary(o->tape);
	error_tally_print(&tape->left_out, "plumbline engine: ", "left out", stderr);
	if (tape->n_takes == 0) {
		recorded_answers_close(o->tape);
		o->tape = NULL;
		return verb_fail("engine", EXIT_NOT_ENOUGH,
		        xasprintf("no answer in %s can be served again%s%s", t->dir,
		                t->backend ? "; --backend is " : "", t->backend ? t->backend : ""));
	}
	fprintf(stderr, "plumbline engine: %zu recorded %s to %zu %s, %zu %s\n", tape->n_takes,
	        plural(tape->n_takes, "answer", "answers"), tape->n_questions,
	        plural(tape->n_questions, "prompt", "prompts"), tape->n_models,
	        plural(tape->n_models, "model", "models"));
	return EXIT_PASS;
}

static int serve(struct setup *c)
{
	int code = c->tape.dir ? open_tape(&c->tape, &c->o) : EXIT_PASS;
	if (code != EXIT_PASS) {
		return code;
	}
	char *problem = engine_run(&c->o);
	recorded_answers_close(c->o.tape);
	return problem ? verb_fail("engine", EXIT_RUNTIME, problem) : EXIT_PASS;
}

int command_engine(int argc, char **argv)
{
	struct setup c = {0};
	struct operands rest;
	int code;
	engine_options_init(&c.o);
	if (verb_read(&ENGINE, argc, argv, &c, &rest, &code)) {
		char *problem = settle(&rest, &c);
		code = problem ? verb_usage(&ENGINE, problem) : serve(&c);
	}
	free(c.host);
	return code;
}
