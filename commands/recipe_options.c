/*
 * recipe_options - the command line that all recipes share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/exhibits.h"
#include "base/conf.h"
#include "base/mem.h"
#include "base/options.h"
#include "commands/recipe_parts.h"

#define SECOND_NS UINT64_C(1000000000)
#define CONCURRENCY_LIMIT 20000
#define REPEATED_LIMIT 10000
#define JOBS_LIMIT 64

enum {
	OPTION_CAPTURE = 256,
	OPTION_PROMPTS,
	OPTION_MODEL,
	OPTION_ANY_MODEL,
	OPTION_ANY_SERVER,
	OPTION_ALIGN,
	OPTION_CHAT,
	OPTION_NO_CHAT,
	OPTION_TEMPLATE,
	OPTION_THINKING,
	OPTION_THINKING_ON,
	OPTION_THINKING_OFF,
	OPTION_SET,
	OPTION_MAX_TOKENS,
	OPTION_TEMPERATURE,
	OPTION_CONCURRENCY,
	OPTION_REPEATS,
	OPTION_SEEDS,
	OPTION_LIMIT,
	OPTION_NUM_PROMPTS,
	OPTION_SAMPLE,
	OPTION_WHERE,
	OPTION_SEED,
	OPTION_TOP,
	OPTION_NO_LOGPROBS,
	OPTION_TIMEOUT,
	OPTION_STOP_ON_ERRORS,
	OPTION_AGAIN,
	OPTION_REPORT,
	OPTION_NO_REPORT,
	OPTION_QUANT,
	OPTION_OUT,
	OPTION_EXHIBITS,
	OPTION_LEAST_EFFECT,
	OPTION_POLICY,
	OPTION_JOBS,
	OPTION_JSON,
	OPTION_TO,
	OPTION_BACKEND,
	OPTION_BASE_URL,
	OPTION_BACKENDS,
	OPTION_BASE_URLS,
	OPTION_MODELS,
	OPTION_LABEL_A,
	OPTION_LABEL_B,
};

static const struct option OPTIONS[] = {
        {"config", required_argument, NULL, 'c'},
        {"capture", required_argument, NULL, OPTION_CAPTURE},
        {"output", required_argument, NULL, OPTION_CAPTURE},
        {"prompts", required_argument, NULL, OPTION_PROMPTS},
        {"model", required_argument, NULL, OPTION_MODEL},
        {"any-model", no_argument, NULL, OPTION_ANY_MODEL},
        {"any-server", no_argument, NULL, OPTION_ANY_SERVER},
        {"align", required_argument, NULL, OPTION_ALIGN},
        {"chat", no_argument, NULL, OPTION_CHAT},
        {"no-chat", no_argument, NULL, OPTION_NO_CHAT},
        {"template", required_argument, NULL, OPTION_TEMPLATE},
        {"thinking", required_argument, NULL, OPTION_THINKING},
        {"enable-thinking", no_argument, NULL, OPTION_THINKING_ON},
        {"disable-thinking", no_argument, NULL, OPTION_THINKING_OFF},
        {"set", required_argument, NULL, OPTION_SET},
        {"max-tokens", required_argument, NULL, OPTION_MAX_TOKENS},
        {"temperature", required_argument, NULL, OPTION_TEMPERATURE},
        {"concurrency", required_argument, NULL, OPTION_CONCURRENCY},
        {"repeats", required_argument, NULL, OPTION_REPEATS},
        {"runs", required_argument, NULL, OPTION_REPEATS},
        {"seeds", required_argument, NULL, OPTION_SEEDS},
        {"limit", required_argument, NULL, OPTION_LIMIT},
        {"num-prompts", required_argument, NULL, OPTION_NUM_PROMPTS},
        {"sample", required_argument, NULL, OPTION_SAMPLE},
        {"where", required_argument, NULL, OPTION_WHERE},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"top", required_argument, NULL, OPTION_TOP},
        {"no-logprobs", no_argument, NULL, OPTION_NO_LOGPROBS},
        {"timeout", required_argument, NULL, OPTION_TIMEOUT},
        {"stop-on-errors", required_argument, NULL, OPTION_STOP_ON_ERRORS},
        {"again", no_argument, NULL, OPTION_AGAIN},
        {"report", no_argument, NULL, OPTION_REPORT},
        {"no-report", no_argument, NULL, OPTION_NO_REPORT},
        {"quant", required_argument, NULL, OPTION_QUANT},
        {"out", required_argument, NULL, OPTION_OUT},
        {"exhibits", required_argument, NULL, OPTION_EXHIBITS},
        {"least-effect", required_argument, NULL, OPTION_LEAST_EFFECT},
        {"policy", required_argument, NULL, OPTION_POLICY},
        {"jobs", required_argument, NULL, OPTION_JOBS},
        {"json", no_argument, NULL, OPTION_JSON},
        {"to", required_argument, NULL, OPTION_TO},
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"base-url", required_argument, NULL, OPTION_BASE_URL},
        {"backends", required_argument, NULL, OPTION_BACKENDS},
        {"base-urls", required_argument, NULL, OPTION_BASE_URLS},
        {"models", required_argument, NULL, OPTION_MODELS},
        {"label-a", required_argument, NULL, OPTION_LABEL_A},
        {"label-b", required_argument, NULL, OPTION_LABEL_B},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *set_member(struct recipe *r, char *name, const char *json)
{
	if (r->n_set == RECIPE_MEMBERS) {
		free(name);
		return xasprintf("more than %d members to set", RECIPE_MEMBERS);
	}
	r->set[r->n_set++] = (struct member_setting){name, xstrdup(json)};
	return NULL;
}

static char *take_set(struct recipe *r, const char *value)
{
	const char *is = strchr(value, '=');
	bool good = is && is > value && recipe_target_is_value(is + 1);
	return good ? set_member(r, xstrndup(value, (size_t)(is - value)), is + 1)
	            : xasprintf("--set wants MEMBER=JSON, not %.60s", value);
}

static char *take_thinking(const char *value, struct replay_wish *w)
{
	static const char *const WORDS[] = {"as-is", "on", "off", NULL};
	static const enum thinking HOW[] = {THINKING_AS_ASKED, THINKING_ON, THINKING_OFF};
	int word = 0;
	char *problem = options_word("thinking", value, WORDS, &word);
	w->thinking = HOW[word];
	return problem;
}

static char *take_temperature(const char *value, struct recipe *r)
{
	double t;
	bool good = conf_parse_decimal(value, &t) && t > 0 && t <= 10;
	r->sampled = true;
	return good ? set_member(r, xstrdup("temperature"), value)
	            : xasprintf("--temperature is above 0 and at most 10, not %.60s", value);
}

/* True: it was one of infer-check's. */
static bool take_borrowed(int flag, const char *value, struct borrowed *b)
{
	switch (flag) {
	case OPTION_TO:
		b->to = value;
		return true;
	case OPTION_BACKEND:
		b->backend = value;
		return true;
	case OPTION_BASE_URL:
		b->base_url = value;
		return true;
	case OPTION_BACKENDS:
		b->backends = value;
		return true;
	case OPTION_BASE_URLS:
		b->base_urls = value;
		return true;
	case OPTION_MODELS:
		b->models = value;
		return true;
	default:
		return false;
	}
}

static char *take_text(int flag, const char *value, struct recipe *r)
{
	switch (flag) {
	case 'c':
		r->options.wish.config = value;
		return NULL;
	case OPTION_CAPTURE:
		r->options.capture = value;
		return NULL;
	case OPTION_PROMPTS:
		return recipe_take_source(r, value);
	case OPTION_MODEL:
		r->options.wish.model = value;
		return NULL;
	case OPTION_TEMPLATE:
		r->template = value;
		return NULL;
	case OPTION_QUANT:
		r->quant = value;
		return NULL;
	case OPTION_LABEL_A:
	case OPTION_LABEL_B:
		r->labels[flag - OPTION_LABEL_A] = value;
		return NULL;
	case OPTION_POLICY:
		r->report.policy = value;
		return NULL;
	case OPTION_LEAST_EFFECT:
		return analyze_options_least_effect(&r->report, value);
	case OPTION_OUT:
		return saving_take(&r->report.saving, value);
	case OPTION_WHERE:
		return filters_parse(&r->options.rules.filters, value);
	case OPTION_SET:
		return take_set(r, value);
	default:
		if (!take_borrowed(flag, value, &r->borrowed)) {
			never("a flag of the table that nobody takes");
		}
		return NULL;
	}
}

static char *take_switch(int flag, const char *value, struct recipe *r)
{
	switch (flag) {
	case OPTION_ANY_MODEL:
		r->options.wish.any_model = true;
		return NULL;
	case OPTION_ANY_SERVER:
		r->options.wish.any_server = true;
		return NULL;
	case OPTION_CHAT:
	case OPTION_NO_CHAT:
		r->no_chat = flag == OPTION_NO_CHAT;
		return NULL;
	case OPTION_THINKING_ON:
	case OPTION_THINKING_OFF:
		r->options.wish.thinking = flag == OPTION_THINKING_ON ? THINKING_ON : THINKING_OFF;
		return NULL;
	case OPTION_NO_LOGPROBS:
		r->options.no_logprobs = true;
		return NULL;
	case OPTION_REPORT:
	case OPTION_NO_REPORT:
		r->html = flag == OPTION_REPORT;
		return NULL;
	case OPTION_AGAIN:
		r->options.again = true;
		return NULL;
	case OPTION_JSON:
		r->report.json = true;
		return NULL;
	default:
		return take_text(flag, value, r);
	}
}

static char *take_number(int flag, const char *value, struct recipe *r)
{
	struct replay_options *o = &r->options;
	uint64_t n = 0;
	char *problem = NULL;
	switch (flag) {
	case OPTION_SEEDS:
		r->has_seeds = true;
		problem = options_number("seeds", value, 1, REPEATED_LIMIT, &n);
		o->repeats = (uint32_t)n;
		return problem;
	case OPTION_REPEATS:
		problem = options_number("repeats", value, 1, REPEATED_LIMIT, &n);
		o->repeats = (uint32_t)n;
		return problem;
	case OPTION_TOP:
		problem = options_number("top", value, 0, READING_TOP_LIMIT - 1, &n);
		o->top = (int)n;
		return problem;
	case OPTION_JOBS:
		problem = options_number("jobs", value, 1, JOBS_LIMIT, &n);
		r->report.analysis.jobs = (unsigned)n;
		return problem;
	case OPTION_EXHIBITS:
		problem = options_number("exhibits", value, 0, EXHIBITS_MOST, &n);
		r->report.analysis.exhibits = (size_t)n;
		r->report.has_exhibits = true;
		return problem;
	case OPTION_LIMIT:
		o->even = false;
		return options_number("limit", value, 1, PLAN_LIMIT, &o->limit);
	case OPTION_NUM_PROMPTS:
		o->even = true;
		return options_number("num-prompts", value, 1, PLAN_LIMIT, &o->limit);
	case OPTION_SEED:
		return options_number("seed", value, 0, INT32_MAX, &o->seed);
	case OPTION_SAMPLE:
		return options_share("sample", value, &o->rules.share);
	case OPTION_STOP_ON_ERRORS:
		return options_share("stop-on-errors", value, &o->error_limit);
	case OPTION_TIMEOUT:
		return options_duration("timeout", value, &o->timeout);
	default:
		return take_switch(flag, value, r);
	}
}

static char *take_option(void *arg, int flag, const char *value)
{
	struct recipe *r = arg;
	struct replay_wish *w = &r->options.wish;
	uint64_t n = 0;
	char *problem = NULL;
	if (flag >= RECIPE_OWN_FLAGS) {
		return r->verb->take(r->arg, flag, value);
	}
	switch (flag) {
	case OPTION_ALIGN:
		r->align_said = true;
		return align_parse(value, &w->align)
		               ? NULL
		               : xasprintf("--align is off, greedy or same, not %.60s", value);
	case OPTION_THINKING:
		return take_thinking(value, w);
	case OPTION_TEMPERATURE:
		return take_temperature(value, r);
	case OPTION_CONCURRENCY:
		return options_numbers("concurrency", value, 1, CONCURRENCY_LIMIT, r->levels,
		        CAMPAIGN_LEVELS, &r->n_levels);
	case OPTION_MAX_TOKENS:
		problem = options_number("max-tokens", value, 1, INT32_MAX, &n);
		return problem ? problem : set_member(r, xstrdup("max_tokens"), value);
	default:
		return take_number(flag, value, r);
	}
}

/* The shared flags and the verb's own, in one table; the caller frees it. */
static struct option *table_of(const struct recipe_verb *verb)
{
	size_t own = 0;
	while (verb->flags && verb->flags[own].name) {
		own++;
	}
	struct option *all = xcalloc(ARRAY_LEN(OPTIONS) + own, sizeof(*all));
	if (own) {
		memcpy(all, verb->flags, own * sizeof(*all));
	}
	memcpy(all + own, OPTIONS, sizeof(OPTIONS));
	return all;
}

char *recipe_parse(
        struct recipe *r, const struct recipe_verb *verb, void *arg, int argc, char **argv)
{
	struct operands rest = {0};
	*r = (struct recipe){
	        .verb = verb,
	        .arg = arg,
	        .report = {.command = verb->name},
	        .options = {.wish = {.command = verb->name, .has_align = true},
	                .rules = {.share = 1, .filters = {.known = CHOICE_KEYS}},
	                .order = ORDER_SHUFFLED,
	                .limit = UINT64_MAX,
	                .timeout = 600 * SECOND_NS,
	                .repeats = verb->repeats,
	                .error_limit = 1,
	                .top = 5},
	};
	r->options.wish.align = ALIGN_GREEDY;
	saving_init(&r->report.saving, argc);
	struct option *flags = table_of(verb);
	char *problem = options_read(argc, argv, flags, take_option, r, &rest);
	free(flags);
	r->help = rest.help;
	return problem || r->help ? problem : recipe_settle(r, &rest);
}
