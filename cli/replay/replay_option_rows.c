#include "cli/replay/replay_option_rows.h"

#include <stdlib.h>
#include <string.h>

#include "backends/injection/asking.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/mem.h"
#include "cli/verb.h"
#include "replay/retry.h"

#define CONCURRENCY_LIMIT 20000
#define REPEATS_LIMIT 10000
#define BLOCK_LIMIT 1000000 /* tokens of a prompt */

static const char *const ORDERS[] = {"captured", "shuffled", "longest", NULL};
static const char *const UNITS[] = {"exchange", "session", NULL};
static const char *const HISTORIES[] = {"recorded", "answered", NULL};
static const char *const SPREADS[] = {"all", "round-robin", NULL};
static const char *const TIMINGS[] = {"original", NULL};

static char *read_rate(void *to, const char *name, const char *value)
{
	struct replay_options *o = to;
	o->load = LOAD_RATE;
	const char *why = pace_parse(value, &o->pace);
	return why ? xasprintf("--rate needs requests a second (5/s), a ramp (10..200), steps "
	                       "(10,20,40) or saturate, not %.60s: %s",
	                     value, why)
	           : NULL;
}

static char *read_target(void *to, const char *name, const char *value)
{
	struct replay_options *o = to;
	if (o->n_to == REPLAY_TARGETS) {
		return xasprintf("more than %d --to", REPLAY_TARGETS);
	}
	for (size_t i = 0; i < o->n_to; i++) {
		if (strcmp(o->to[i], value) == 0) {
			return xasprintf("--to %.200s is given twice", value);
		}
	}
	o->to[o->n_to++] = value;
	o->backend.to = o->to[0];
	return NULL;
}

/* "ttft:500,tpot:50,e2el:5000" in milliseconds. */
static char *read_goals(void *to, const char *name, const char *value)
{
	struct load_figures_goals *g = to;
	char *text = xstrdup(value), *rest = text, *problem = NULL;
	for (char *p; !problem && (p = conf_next_word(&rest));) {
		char *colon = strchr(p, ':');
		double ms = 0;
		bool good = colon && conf_parse_decimal(colon + 1, &ms) && ms > 0 && ms < 1e9;
		size_t len = colon ? (size_t)(colon - p) : 0;
		uint64_t *goal = len == 4 && !strncmp(p, "ttft", 4)   ? &g->ttft_us
		                 : len == 4 && !strncmp(p, "tpot", 4) ? &g->tpot_us
		                 : len == 4 && !strncmp(p, "e2el", 4) ? &g->e2el_us
		                                                      : NULL;
		if (!goal || !good) {
			problem =
			        xasprintf("--goodput needs ttft:MS,tpot:MS,e2el:MS, not %.60s", p);
		} else {
			*goal = (uint64_t)(ms * 1000);
		}
	}
	free(text);
	return problem;
}

static char *read_levels(void *to, const char *name, const char *value)
{
	struct replay_options *o = to;
	char *problem = options_numbers(
	        name, value, 1, CONCURRENCY_LIMIT, o->levels, REPLAY_LEVELS, &o->n_levels);
	o->concurrency = o->levels[0];
	return problem;
}

/* original, the only word. */
static char *read_timing(void *to, const char *name, const char *value)
{
	int word = 0;
	((struct replay_options *)to)->load = LOAD_ORIGINAL;
	return options_word(name, value, TIMINGS, &word);
}

static char *read_arrivals(void *to, const char *name, const char *value)
{
	struct replay_options *o = to;
	return schedule_parse(value, &o->arrivals, &o->burstiness)
	               ? NULL
	               : xasprintf(
	                         "--%s needs constant, poisson or gamma:B, not %.60s", name, value);
}

static char *read_where(void *to, const char *name, const char *value)
{
	return filters_parse(to, value);
}

static char *read_time_unit(void *to, const char *name, const char *value)
{
	static const char *const TIMES[] = {"s", "ms", "us", "ns", NULL};
	static const uint64_t TIMES_NS[] = {SECOND_NS, 1000000, 1000, 1};
	int word = 0;
	char *problem = options_word(name, value, TIMES, &word);
	*(uint64_t *)to = TIMES_NS[word];
	return problem;
}

static char *read_cancel(void *to, const char *name, const char *value)
{
	return cancel_parse(value, to)
	               ? NULL
	               : xasprintf("--%s needs a share, alone or followed by @tokens:N or "
	                           "@after:TIME (5%%@after:2s), not %.60s",
	                         name, value);
}

static char *read_think(void *to, const char *name, const char *value)
{
	return think_time_parse(value, to)
	               ? NULL
	               : xasprintf("--%s needs a time (5s), or recorded, not %.60s", name, value);
}

static char *read_align(void *to, const char *name, const char *value)
{
	struct replay_backend_options *w = to;
	w->has_align = true;
	return align_parse(value, &w->align)
	               ? NULL
	               : xasprintf("--%s needs off, greedy or same, not %.60s", name, value);
}

const struct option_row REPLAY_BACKEND_OPTIONS[] = {
        {"config", 'c', "FILE", "look names up in this configuration file of a proxy",
                OPT_TEXT(struct replay_backend_options, config)},
        {"model", 0, "NAME", "name this model in each request",
                OPT_TEXT(struct replay_backend_options, model)},
        {"any-model", 0, NULL, "allow models that the engine does not list",
                OPT_BOOL(struct replay_backend_options, any_model)},
        {"any-server", 0, NULL, "skip the check that the URL is an inference engine",
                OPT_BOOL(struct replay_backend_options, any_server)},
        {"align", 0, "HOW",
                "sampling parameters: off: as recorded; greedy: always the most probable token; "
                "same: the defaults of the engine that answered first",
                OPT_CALL_ALL(read_align)},
        OPT_END,
};

const struct option_row REPLAY_ENGINE_OPTIONS[] = {
        {"dialect", 0, "NAME", "kind of the engine, if it is not recognised",
                OPT_TEXT(struct replay_backend_options, dialect)},
        {"api-key-env", 0, "VAR", "take the API key from this environment variable",
                OPT_TEXT(struct replay_backend_options, api_key_env)},
        OPT_END,
};

const struct option_row REPLAY_CHOICE_OPTIONS[] = {
        {"where", 0, "KEY=VALUE",
                "only requests with this value: model (a pattern), endpoint, stream, tools, id or "
                "session; KEY!=VALUE: all others; may be given several times",
                OPT_CALL(struct replay_options, rules.filters, read_where)},
        {"limit", 0, "N", "send the first N requests of each source",
                OPT_NUMBER(struct replay_options, limit, 1, PLAN_LIMIT)},
        {"sample", 0, "SHARE", "send a random share of the requests, such as 10%; see --seed",
                OPT_SHARE(struct replay_options, rules.share)},
        OPT_END,
};

const struct option_row REPLAY_SEND_OPTIONS[] = {
        {"top", 0, "N", "request N alternatives for each token (5)",
                OPT_NUMBER(struct replay_options, top, 0, READING_TOP_LIMIT - 1)},
        {"no-logprobs", 0, NULL, "request no logprobs where the client requested none",
                OPT_BOOL(struct replay_options, no_logprobs)},
        {"timeout", 0, "TIME", "give up an answer after this time without a byte (600s)",
                OPT_DURATION(struct replay_options, timeout, 1)},
        {"stop-on-errors", 0, "SHARE", "stop when more than this share of the answers are errors",
                OPT_SHARE(struct replay_options, error_limit)},
        {"again", 0, NULL, "send everything again, in a new run",
                OPT_BOOL(struct replay_options, again)},
        OPT_END,
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("SOURCE",
                "a capture's directory; a file of request bodies or of OpenAI's batch requests, "
                "one a line; a suite (configs/suites); GSM8K, MATH, AIME, GPQA, SimpleQA, "
                "LiveCodeBench; ShareGPT, HAR, GoReplay, evalscope, vLLM's custom data sets, "
                "infer-check's suites and results, lm-eval's samples, OpenTelemetry's spans, "
                "Mooncake, AIPerf, Bailian, BurstGPT or Azure traces"),
        {"to", 0, "URL|NAME",
                "send to this engine; plumbline looks a name up in -c FILE, or else in the "
                "capture. May be given several times; see --spread",
                OPT_CALL_ALL(read_target)},
        {"spread", 0, "HOW",
                "with several --to: all: each request goes to all engines; round-robin: each "
                "request goes to one of them in turn, and all turns of a session to the same (all)",
                OPT_WORD(struct replay_options, spread, SPREADS)},
        {"capture", 0, "DIR",
                "record in this capture instead of SOURCE; required if SOURCE is a file",
                OPT_TEXT(struct replay_options, capture)},
        {"name", 0, "NAME", "name of the backend in the capture",
                OPT_TEXT(struct replay_options, backend.name)},
        OPT_INCLUDE(REPLAY_BACKEND_OPTIONS, struct replay_options, backend),
        OPT_INCLUDE(REPLAY_ENGINE_OPTIONS, struct replay_options, backend),
        OPT_INCLUDE_SAME(REPLAY_SEND_OPTIONS),
        {"no-usage", 0, NULL, "request no token counts of a stream",
                OPT_BOOL(struct replay_options, no_usage)},
        {"json", 0, NULL, "print events as JSON, one a line",
                OPT_BOOL(struct replay_options, json)},
        OPT_GROUP("load: one of these, or --rate with --concurrency:"),
        {"concurrency", 0, "N,...",
                "keep N requests in progress (4); 1,2,4,8: a run for each, in random order. With "
                "--rate: at most N in progress",
                OPT_CALL_ALL(read_levels)},
        {"rate", 0, "RATE",
                "send at this rate, however fast the answers are: 5 or 5/s: requests a second; "
                "1..20: a ramp, see --over; 1,5,20: one rate after the other, see --step; "
                "saturate[:A]: steps from A (1) to the highest rate that the engine sustains "
                "within the limits of --goodput",
                OPT_CALL_ALL(read_rate)},
        {"timing", 0, "original", "original: send at the recorded times",
                OPT_CALL_ALL(read_timing)},
        {"speed", 0, "FACTOR", "2x: send at the recorded times, twice as fast",
                OPT_SPEED(struct replay_options, speed)},
        OPT_GROUP("details of the load:"),
        {"over", 0, "TIME", "duration of a ramp; after it the rate stays",
                OPT_DURATION(struct replay_options, pace.over, 1)},
        {"step", 0, "TIME", "duration of each rate (30s; 10s with saturate)",
                OPT_DURATION(struct replay_options, pace.step, 1)},
        {"arrivals", 0, "WHAT",
                "times of requests at --rate: constant, poisson or gamma:B (poisson)",
                OPT_CALL_ALL(read_arrivals)},
        {"duration", 0, "TIME", "stop sending after this time",
                OPT_DURATION(struct replay_options, duration, 1)},
        {"warm-up", 0, "N", "leave the first N requests out of all figures",
                OPT_NUMBER(struct replay_options, warm_up, 0, PLAN_LIMIT)},
        {"cancel", 0, "SHARE",
                "cancel this share of the requests: streams after 16 events with content, others "
                "after a second; SHARE@tokens:N: only streams; SHARE@after:TIME: all",
                OPT_CALL(struct replay_options, cancel, read_cancel)},
        {"think", 0, "TIME",
                "wait this long between an answer and the next turn of its session; recorded: as "
                "long as recorded",
                OPT_CALL(struct replay_options, think, read_think)},
        {"retries", 0, "N",
                "send a rejected request again, up to N times (no connection, closed without an "
                "answer, 429, 502, 503, 504), after pauses that double (0)",
                OPT_NUMBER(struct replay_options, retries, 0, RETRY_LIMIT)},
        {"no-keep-alive", 0, NULL, "open a new connection for each request",
                OPT_BOOL(struct replay_options, fresh)},
        {"goodput", 0, "LIMITS", "count answers within limits: ttft:MS,tpot:MS,e2el:MS",
                OPT_CALL(struct replay_options, goals, read_goals)},
        OPT_GROUP("which requests, and in what order:"),
        OPT_INCLUDE_SAME(REPLAY_CHOICE_OPTIONS),
        {"by", 0, "UNIT", "sample exchanges (exchange) or whole sessions (session)",
                OPT_WORD(struct replay_options, rules.by_session, UNITS)},
        {"order", 0, "ORDER",
                "send in this order: captured, shuffled or longest; turns of a session stay in "
                "order",
                OPT_WORD(struct replay_options, order, ORDERS)},
        {"repeats", 0, "N", "send each request N times",
                OPT_NUMBER(struct replay_options, repeats, 1, REPEATS_LIMIT)},
        {"seed", 0, "N", "seed of the sample, the order and the arrivals (0)",
                OPT_NUMBER(struct replay_options, seed, 0, UINT64_MAX)},
        {"history", 0, "WHOSE",
                "answers in the history of a later turn: recorded, or answered: the new answers of "
                "the engine (recorded; answered for suites)",
                OPT_WORD_FROM(struct replay_options, history, HISTORIES, HISTORY_RECORDED)},
        {"redacted", 0, NULL, "also send requests in which private text was replaced",
                OPT_BOOL(struct replay_options, redacted)},
        {"time-unit", 0, "UNIT",
                "unit of the times of a trace, if the file does not say: s, ms, us or ns",
                OPT_CALL(struct replay_options, units.time_ns, read_time_unit)},
        {"block-tokens", 0, "N",
                "number of tokens for each hash_id of a trace, if the file does not say",
                OPT_NUMBER(struct replay_options, units.block_tokens, 1, BLOCK_LIMIT)},
        OPT_GROUP("results:"),
        {"force-tokens", 0, NULL,
                "let the engine score the tokens of the recorded answers instead of generating, as "
                "plumbline score does, so that every position can be compared",
                OPT_BOOL(struct replay_options, force_tokens)},
        {"no-compare", 0, NULL, "do not compare answers with the recorded ones during the replay",
                OPT_BOOL(struct replay_options, no_compare)},
        {"save-result", 0, "FILE", "write figures as `vllm bench serve --save-result` does",
                OPT_TEXT(struct replay_options, save)},
        OPT_END,
};

static const struct verb REPLAY = {
        .name = "replay",
        .usage = "SOURCE --to URL|NAME [options]",
        .about = "Sends the requests of a capture or of a file to another engine and records its "
                 "answers beside those of the capture; plumbline analyze compares them. The same "
                 "command resumes an interrupted replay.",
        .options = OPTIONS,
        .examples =
                "plumbline replay capture --to http://127.0.0.1:8000 "
                "--align greedy \\\n    --concurrency 16\n"
                "plumbline replay capture --to trusted -c configs/proxy.yaml "
                "\\\n    --timing original --speed 2x\n"
                "plumbline replay prompts.jsonl --to http://127.0.0.1:8000 --capture new "
                "\\\n    --rate 5/s\n"
                "plumbline replay capture --to http://127.0.0.1:8000 --rate 10..200 --over 60s\n"
                "plumbline replay configs/suites/reasoning.jsonl --to http://127.0.0.1:8000 "
                "\\\n    --capture new",
        .exit_codes = "0 sent, 2 command line, no such model, 3 unreachable or interrupted, 4 "
                      "nothing to send",
};

static bool is_given(const struct replay_options *o, const char *name)
{
	return options_given(&o->line, name);
}

/* Accepts only one load. Of two, the last would win silently. */
static char *settle_load(struct replay_options *o)
{
	bool has_rate = is_given(o, "rate"), has_speed = is_given(o, "speed");
	if (has_rate && (is_given(o, "timing") || has_speed)) {
		return xasprintf(
		        "--rate and --%s exclude each other: each sets when requests are sent",
		        has_speed ? "speed" : "timing");
	}
	if (!has_rate && is_given(o, "arrivals")) {
		return xstrdup("--arrivals needs --rate: --rate 5/s --arrivals constant");
	}
	if (is_given(o, "by") && !is_given(o, "sample")) {
		return xstrdup("--by needs --sample: --sample 10% --by session");
	}
	/* Only the original timing has a speed, so --speed implies it. */
	o->load = has_speed ? LOAD_ORIGINAL : o->load;
	return NULL;
}

/* Each shape of a rate accepts its own options and no others. */
static char *settle_pace(struct replay_options *o)
{
	struct pace *p = &o->pace;
	bool has_rate = o->load == LOAD_RATE;
	bool ramp = has_rate && p->shape == PACE_RAMP, steps = has_rate && pace_has_steps(p);
	if (p->over > 0 && !ramp) {
		return xstrdup("--over needs a ramp: --rate 10..200 --over 60s");
	}
	if (p->step > 0 && !steps) {
		return xstrdup("--step needs --rate 10,20,40 or --rate saturate");
	}
	if (ramp && p->over == 0) {
		return xstrdup("a ramp needs --over: --rate 10..200 --over 60s");
	}
	if (steps) {
		p->step = p->step                     ? p->step
		          : p->shape == PACE_SATURATE ? 10 * SECOND_NS
		                                      : 30 * SECOND_NS;
	} else if (o->repeats == 0) {
		o->repeats = 1;
	}
	if (steps && p->step < SECOND_NS) {
		return xstrdup("--step needs a second or more");
	}
	bool several = o->n_to > 1 && o->spread == SPREAD_ALL;
	if (steps && (several || o->n_levels > 0 || o->save || o->warm_up)) {
		return xstrdup("steps need one backend, or several with --spread round-robin, and "
		               "exclude --concurrency, --warm-up and --save-result");
	}
	return NULL;
}

static char *settle(struct replay_options *o)
{
	const struct operands *line = &o->line;
	if (line->n != 1) {
		return xstrdup(
		        line->n ? "give only one source"
		                : "no source is given: name a capture's directory or a file");
	}
	o->source = line->words[0];
	o->rules.seed = o->seed;
	/* Forced tokens generate nothing, so there is no load. replay_option_rows_beside_forced()
	 * reports that. */
	char *problem = o->force_tokens ? NULL : settle_load(o);
	problem = problem ? problem : settle_pace(o);
	if (problem) {
		return problem;
	}
	if (o->n_to > 1 && o->backend.name) {
		return xstrdup("--name applies to one backend, but --to names several");
	}
	if (o->spread == SPREAD_ROUND_ROBIN && (o->n_to < 2 || o->n_levels > 1)) {
		return xstrdup("--spread round-robin needs several --to, and one --concurrency");
	}
	if (o->save && (o->n_to > 1 || o->n_levels > 1)) {
		return xstrdup("--save-result applies to one backend at one --concurrency");
	}
	return o->backend.to
	               ? NULL
	               : xstrdup("no engine is given: add --to URL, or the name of a backend");
}

bool replay_option_rows_read(int argc, char **argv, struct replay_options *ret, int *ret_code)
{
	*ret = (struct replay_options){
	        .backend = {.command = "replay"},
	        .rules = {.share = 1, .filters = {.known = REQUEST_CHOICE_KEYS}},
	        .arrivals = ARRIVALS_POISSON,
	        .burstiness = 1,
	        .speed = 1,
	        .limit = UINT64_MAX,
	        .timeout = 600 * SECOND_NS,
	        .error_limit = 1,
	        .top = ASKING_TOP_DEFAULT,
	};
	if (!verb_read(&REPLAY, argc, argv, ret, &ret->line, ret_code)) {
		return false;
	}
	char *problem = settle(ret);
	if (problem) {
		*ret_code = verb_usage(&REPLAY, problem);
	}
	return !problem;
}

const char *replay_option_rows_beside_forced(const struct replay_options *o)
{
	static const char *const GOOD[] = {"to", "config", "capture", "name", "model", "dialect",
	        "api-key-env", "top", "concurrency", "limit", "timeout", "force-tokens", "json"};
	for (size_t i = 0; i < o->line.n_given; i++) {
		size_t at = 0;
		while (at < ARRAY_LEN(GOOD) && strcmp(GOOD[at], o->line.given[i]) != 0) {
			at++;
		}
		if (at == ARRAY_LEN(GOOD)) {
			return o->line.given[i];
		}
	}
	return NULL;
}
