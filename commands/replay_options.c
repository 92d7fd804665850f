#include "commands/replay_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"
#include "base/options.h"
#include "replay/retry.h"

#define SECOND_NS UINT64_C(1000000000)
#define CONCURRENCY_LIMIT 20000
#define REPEATS_LIMIT 10000
#define BLOCK_LIMIT 1000000 /* tokens of a prompt */

enum {
	OPTION_TO = 256,
	OPTION_SPREAD,
	OPTION_CAPTURE,
	OPTION_NAME,
	OPTION_MODEL,
	OPTION_ANY_MODEL,
	OPTION_ANY_SERVER,
	OPTION_DIALECT,
	OPTION_API_KEY_ENV,
	OPTION_ALIGN,
	OPTION_TOP,
	OPTION_NO_LOGPROBS,
	OPTION_NO_USAGE,
	OPTION_CONCURRENCY,
	OPTION_RATE,
	OPTION_OVER,
	OPTION_STEP,
	OPTION_TIMING,
	OPTION_SPEED,
	OPTION_ARRIVALS,
	OPTION_WHERE,
	OPTION_LIMIT,
	OPTION_SAMPLE,
	OPTION_TIME_UNIT,
	OPTION_BLOCK_TOKENS,
	OPTION_BY,
	OPTION_ORDER,
	OPTION_REPEATS,
	OPTION_SEED,
	OPTION_HISTORY,
	OPTION_DURATION,
	OPTION_STOP_ON_ERRORS,
	OPTION_WARM_UP,
	OPTION_CANCEL,
	OPTION_THINK,
	OPTION_RETRIES,
	OPTION_NO_KEEP_ALIVE,
	OPTION_NO_COMPARE,
	OPTION_GOODPUT,
	OPTION_TIMEOUT,
	OPTION_AGAIN,
	OPTION_FORCE_TOKENS,
	OPTION_REDACTED,
	OPTION_SAVE_RESULT,
	OPTION_JSON,
	OPTIONS_END,
};

_Static_assert(OPTIONS_END - OPTION_TO <= 64, "a bit for each flag");

static const struct option OPTIONS[] = {
        {"to", required_argument, NULL, OPTION_TO},
        {"spread", required_argument, NULL, OPTION_SPREAD},
        {"config", required_argument, NULL, 'c'},
        {"capture", required_argument, NULL, OPTION_CAPTURE},
        {"name", required_argument, NULL, OPTION_NAME},
        {"model", required_argument, NULL, OPTION_MODEL},
        {"any-model", no_argument, NULL, OPTION_ANY_MODEL},
        {"any-server", no_argument, NULL, OPTION_ANY_SERVER},
        {"dialect", required_argument, NULL, OPTION_DIALECT},
        {"api-key-env", required_argument, NULL, OPTION_API_KEY_ENV},
        {"align", required_argument, NULL, OPTION_ALIGN},
        {"top", required_argument, NULL, OPTION_TOP},
        {"no-logprobs", no_argument, NULL, OPTION_NO_LOGPROBS},
        {"no-usage", no_argument, NULL, OPTION_NO_USAGE},
        {"concurrency", required_argument, NULL, OPTION_CONCURRENCY},
        {"rate", required_argument, NULL, OPTION_RATE},
        {"over", required_argument, NULL, OPTION_OVER},
        {"step", required_argument, NULL, OPTION_STEP},
        {"timing", required_argument, NULL, OPTION_TIMING},
        {"speed", required_argument, NULL, OPTION_SPEED},
        {"arrivals", required_argument, NULL, OPTION_ARRIVALS},
        {"where", required_argument, NULL, OPTION_WHERE},
        {"limit", required_argument, NULL, OPTION_LIMIT},
        {"time-unit", required_argument, NULL, OPTION_TIME_UNIT},
        {"block-tokens", required_argument, NULL, OPTION_BLOCK_TOKENS},
        {"sample", required_argument, NULL, OPTION_SAMPLE},
        {"by", required_argument, NULL, OPTION_BY},
        {"order", required_argument, NULL, OPTION_ORDER},
        {"repeats", required_argument, NULL, OPTION_REPEATS},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"history", required_argument, NULL, OPTION_HISTORY},
        {"duration", required_argument, NULL, OPTION_DURATION},
        {"stop-on-errors", required_argument, NULL, OPTION_STOP_ON_ERRORS},
        {"warm-up", required_argument, NULL, OPTION_WARM_UP},
        {"cancel", required_argument, NULL, OPTION_CANCEL},
        {"think", required_argument, NULL, OPTION_THINK},
        {"retries", required_argument, NULL, OPTION_RETRIES},
        {"no-keep-alive", no_argument, NULL, OPTION_NO_KEEP_ALIVE},
        {"no-compare", no_argument, NULL, OPTION_NO_COMPARE},
        {"goodput", required_argument, NULL, OPTION_GOODPUT},
        {"timeout", required_argument, NULL, OPTION_TIMEOUT},
        {"again", no_argument, NULL, OPTION_AGAIN},
        {"force-tokens", no_argument, NULL, OPTION_FORCE_TOKENS},
        {"redacted", no_argument, NULL, OPTION_REDACTED},
        {"save-result", required_argument, NULL, OPTION_SAVE_RESULT},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *take_rate(const char *value, struct replay_options *o)
{
	o->load = LOAD_RATE;
	const char *why = pace_parse(value, &o->pace);
	return why ? xasprintf("--rate wants requests a second (5/s), a ramp (10..200), steps "
	                       "(10,20,40) or saturate, not %.60s: %s",
	                     value, why)
	           : NULL;
}

static char *take_target(const char *value, struct replay_options *o)
{
	if (o->n_to == REPLAY_TARGETS) {
		return xasprintf("more than %d --to", REPLAY_TARGETS);
	}
	for (size_t i = 0; i < o->n_to; i++) {
		if (strcmp(o->to[i], value) == 0) {
			return xasprintf("--to %.200s is given twice", value);
		}
	}
	o->to[o->n_to++] = value;
	o->wish.to = o->to[0];
	return NULL;
}

/* "ttft:500,tpot:50,e2el:5000" in milliseconds. */
static char *take_goals(const char *value, struct figures_goals *g)
{
	char *text = xstrdup(value), *rest = text, *problem = NULL;
	for (char *p; !problem && (p = conf_next_word(&rest));) {
		char *colon = strchr(p, ':');
		double ms = 0;
		bool good = colon && conf_parse_decimal(colon + 1, &ms) && ms > 0 && ms < 1e9;
		size_t len = colon ? (size_t)(colon - p) : 0;
		uint64_t *to = len == 4 && !strncmp(p, "ttft", 4)   ? &g->ttft_us
		               : len == 4 && !strncmp(p, "tpot", 4) ? &g->tpot_us
		               : len == 4 && !strncmp(p, "e2el", 4) ? &g->e2el_us
		                                                    : NULL;
		if (!to || !good) {
			problem =
			        xasprintf("--goodput wants ttft:MS,tpot:MS,e2el:MS, not %.60s", p);
		} else {
			*to = (uint64_t)(ms * 1000);
		}
	}
	free(text);
	return problem;
}

static void take_text(int option, const char *value, struct replay_options *o)
{
	switch (option) {
	case 'c':
		o->wish.config = value;
		break;
	case OPTION_CAPTURE:
		o->capture = value;
		break;
	case OPTION_NAME:
		o->wish.name = value;
		break;
	case OPTION_MODEL:
		o->wish.model = value;
		break;
	case OPTION_DIALECT:
		o->wish.dialect = value;
		break;
	case OPTION_API_KEY_ENV:
		o->wish.api_key_env = value;
		break;
	case OPTION_SAVE_RESULT:
		o->save = value;
		break;
	case OPTION_ANY_MODEL:
		o->wish.any_model = true;
		break;
	case OPTION_ANY_SERVER:
		o->wish.any_server = true;
		break;
	case OPTION_NO_LOGPROBS:
		o->no_logprobs = true;
		break;
	case OPTION_NO_USAGE:
		o->no_usage = true;
		break;
	case OPTION_NO_COMPARE:
		o->no_compare = true;
		break;
	case OPTION_NO_KEEP_ALIVE:
		o->fresh = true;
		break;
	case OPTION_FORCE_TOKENS:
		o->force_tokens = true;
		break;
	case OPTION_AGAIN:
		o->again = true;
		break;
	case OPTION_REDACTED:
		o->redacted = true;
		break;
	case OPTION_JSON:
		o->json = true;
		break;
	default:
		never("a flag of the table that nobody takes");
	}
}

static char *take_choice(int option, const char *value, struct replay_options *o)
{
	static const char *const ORDERS[] = {"captured", "shuffled", "longest", NULL};
	static const char *const UNITS[] = {"exchange", "session", NULL};
	static const char *const HISTORIES[] = {"recorded", "answered", NULL};
	static const char *const SPREADS[] = {"all", "round-robin", NULL};
	static const char *const TIMINGS[] = {"original", NULL};
	static const char *const TIMES[] = {"s", "ms", "us", "ns", NULL};
	static const uint64_t TIMES_NS[] = {SECOND_NS, 1000000, 1000, 1};
	int word = 0;
	char *problem = NULL;
	switch (option) {
	case OPTION_ALIGN:
		o->wish.has_align = true;
		return align_parse(value, &o->wish.align)
		               ? NULL
		               : xasprintf("--align is off, greedy or same, not %.60s", value);
	case OPTION_TIMING:
		o->load = LOAD_ORIGINAL;
		return options_word("timing", value, TIMINGS, &word);
	case OPTION_ARRIVALS:
		return schedule_parse(value, &o->arrivals, &o->burstiness)
		               ? NULL
		               : xasprintf("--arrivals is constant, poisson or gamma:B, not %.60s",
		                         value);
	case OPTION_WHERE:
		return filters_parse(&o->rules.filters, value);
	case OPTION_TIME_UNIT:
		problem = options_word("time-unit", value, TIMES, &word);
		o->units.time_ns = TIMES_NS[word];
		return problem;
	case OPTION_BY:
		problem = options_word("by", value, UNITS, &word);
		o->rules.by_session = word == 1;
		return problem;
	case OPTION_HISTORY:
		problem = options_word("history", value, HISTORIES, &word);
		o->history = word + 1;
		return problem;
	case OPTION_SPREAD:
		problem = options_word("spread", value, SPREADS, &word);
		o->spread = (enum spread_wish)word;
		return problem;
	case OPTION_ORDER:
		problem = options_word("order", value, ORDERS, &word);
		o->order = (enum plan_order)word;
		return problem;
	default:
		take_text(option, value, o);
		return NULL;
	}
}

/* How many, how long, how much of it. */
static char *take_amount(int option, const char *value, struct replay_options *o)
{
	uint64_t n = 0;
	char *problem = NULL;
	switch (option) {
	case OPTION_TOP:
		problem = options_number("top", value, 0, READING_TOP_LIMIT - 1, &n);
		o->top = (int)n;
		return problem;
	case OPTION_CONCURRENCY:
		problem = options_numbers("concurrency", value, 1, CONCURRENCY_LIMIT, o->levels,
		        REPLAY_LEVELS, &o->n_levels);
		o->concurrency = o->levels[0];
		return problem;
	case OPTION_REPEATS:
		problem = options_number("repeats", value, 1, REPEATS_LIMIT, &n);
		o->repeats = (uint32_t)n;
		return problem;
	case OPTION_RETRIES:
		problem = options_number("retries", value, 0, RETRY_LIMIT, &n);
		o->retries = (unsigned)n;
		return problem;
	case OPTION_OVER:
		return options_duration("over", value, &o->pace.over);
	case OPTION_STEP:
		return options_duration("step", value, &o->pace.step);
	case OPTION_SPEED:
		return options_speed("speed", value, &o->speed);
	case OPTION_LIMIT:
		return options_number("limit", value, 1, PLAN_LIMIT, &o->limit);
	case OPTION_SAMPLE:
		return options_share("sample", value, &o->rules.share);
	case OPTION_BLOCK_TOKENS:
		problem = options_number("block-tokens", value, 1, BLOCK_LIMIT, &n);
		o->units.block_tokens = (int64_t)n;
		return problem;
	case OPTION_SEED:
		return options_number("seed", value, 0, UINT64_MAX, &o->seed);
	case OPTION_DURATION:
		return options_duration("duration", value, &o->duration);
	case OPTION_STOP_ON_ERRORS:
		return options_share("stop-on-errors", value, &o->error_limit);
	case OPTION_WARM_UP:
		return options_number("warm-up", value, 0, PLAN_LIMIT, &o->warm_up);
	case OPTION_TIMEOUT:
		return options_duration("timeout", value, &o->timeout);
	default:
		return take_choice(option, value, o);
	}
}

static char *take_option(void *arg, int option, const char *value)
{
	struct replay_options *o = arg;
	o->given |= option >= OPTION_TO ? UINT64_C(1) << (option - OPTION_TO) : 0;
	switch (option) {
	case OPTION_TO:
		return take_target(value, o);
	case OPTION_RATE:
		return take_rate(value, o);
	case OPTION_CANCEL:
		return cancel_parse(value, &o->cancel)
		               ? NULL
		               : xasprintf("--cancel is a share, with @tokens:N or @after:T behind "
		                           "it (5%%@after:2s), "
		                           "not %.60s",
		                         value);
	case OPTION_THINK:
		return think_parse(value, &o->think)
		               ? NULL
		               : xasprintf("--think is a time (5s), or recorded, not %.60s", value);
	case OPTION_GOODPUT:
		return take_goals(value, &o->goals);
	default:
		return take_amount(option, value, o);
	}
}

static bool is_given(const struct replay_options *o, int option)
{
	return o->given >> (option - OPTION_TO) & 1;
}

/* One load: of two the last would win, and nobody would be told. */
static char *settle_load(struct replay_options *o)
{
	bool rated = is_given(o, OPTION_RATE), sped = is_given(o, OPTION_SPEED);
	if (rated && (is_given(o, OPTION_TIMING) || sped)) {
		return xasprintf("--rate and --%s don't go together: the one says how often is "
		                 "sent, the other that it is as it came",
		        sped ? "speed" : "timing");
	}
	if (!rated && is_given(o, OPTION_ARRIVALS)) {
		return xstrdup("--arrivals is how those of --rate are spread: --rate 5/s "
		               "--arrivals constant");
	}
	if (is_given(o, OPTION_BY) && !is_given(o, OPTION_SAMPLE)) {
		return xstrdup("--by says what a sample is taken of: --sample 10% --by session");
	}
	/* Nothing else has a speed. */
	o->load = sped ? LOAD_ORIGINAL : o->load;
	return NULL;
}

/* Each shape of a rate has what is its own, and nothing else. */
static char *settle_pace(struct replay_options *o)
{
	struct pace *p = &o->pace;
	bool rated = o->load == LOAD_RATE;
	bool ramp = rated && p->shape == PACE_RAMP, steps = rated && pace_has_steps(p);
	if (p->over > 0 && !ramp) {
		return xstrdup("--over is how long a ramp takes: --rate 10..200 --over 60s");
	}
	if (p->step > 0 && !steps) {
		return xstrdup("--step is of --rate 10,20,40 or --rate saturate");
	}
	if (ramp && p->over == 0) {
		return xstrdup("a ramp takes its time: --rate 10..200 --over 60s");
	}
	if (steps) {
		p->step = p->step                     ? p->step
		          : p->shape == PACE_SATURATE ? 10 * SECOND_NS
		                                      : 30 * SECOND_NS;
	} else if (o->repeats == 0) {
		o->repeats = 1;
	}
	if (steps && p->step < SECOND_NS) {
		return xstrdup("--step is a second at least");
	}
	bool several = o->n_to > 1 && o->spread == SPREAD_ALL;
	if (steps && (several || o->n_levels > 0 || o->save || o->warm_up)) {
		return xstrdup("steps are of one backend, or of several by --spread round-robin, "
		               "and go without --concurrency, --warm-up and "
		               "--save-result");
	}
	return NULL;
}

char *replay_options_parse(int argc, char **argv, struct replay_options *ret)
{
	*ret = (struct replay_options){
	        .wish = {.command = "replay"},
	        .rules = {.share = 1, .filters = {.known = CHOICE_KEYS}},
	        .arrivals = ARRIVALS_POISSON,
	        .burstiness = 1,
	        .speed = 1,
	        .limit = UINT64_MAX,
	        .timeout = 600 * SECOND_NS,
	        .error_limit = 1,
	        .top = 5,
	};
	struct operands rest = {0};
	char *problem = options_read(argc, argv, OPTIONS, take_option, ret, &rest);
	ret->help = rest.help;
	if (problem || ret->help) {
		return problem;
	}
	if (rest.n != 1) {
		return xstrdup(rest.n ? "one source is wanted"
		                      : "what is to be replayed? Give a capture's directory, or "
		                        "a file");
	}
	ret->source = rest.words[0];
	ret->rules.seed = ret->seed;
	/* Where nothing is generated no load is taken at all, which is said elsewhere. */
	problem = ret->force_tokens ? NULL : settle_load(ret);
	problem = problem ? problem : settle_pace(ret);
	if (problem) {
		return problem;
	}
	if (ret->n_to > 1 && ret->wish.name) {
		return xstrdup("--name is of one backend, and --to names several");
	}
	if (ret->spread == SPREAD_ROUND_ROBIN && (ret->n_to < 2 || ret->n_levels > 1)) {
		return xstrdup("--spread round-robin wants several --to, and one --concurrency");
	}
	if (ret->save && (ret->n_to > 1 || ret->n_levels > 1)) {
		return xstrdup("--save-result is of one backend at one --concurrency");
	}
	return ret->wish.to ? NULL : xstrdup("where to? Give --to URL, or the name of a backend");
}

const char *replay_options_beside_forced(const struct replay_options *o)
{
	static const int GOOD[] = {OPTION_TO, OPTION_CAPTURE, OPTION_NAME, OPTION_MODEL,
	        OPTION_DIALECT, OPTION_API_KEY_ENV, OPTION_TOP, OPTION_CONCURRENCY, OPTION_LIMIT,
	        OPTION_TIMEOUT, OPTION_FORCE_TOKENS, OPTION_JSON};
	uint64_t rest = o->given;
	for (size_t i = 0; i < ARRAY_LEN(GOOD); i++) {
		rest &= ~(UINT64_C(1) << (GOOD[i] - OPTION_TO));
	}
	for (const struct option *each = OPTIONS; each->name; each++) {
		if (each->val >= OPTION_TO && rest >> (each->val - OPTION_TO) & 1) {
			return each->name;
		}
	}
	return NULL;
}
