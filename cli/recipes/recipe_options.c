/*
 * recipe_options - the command line that all recipes share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/align.h"
#include "backends/injection/asking.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/mem.h"
#include "cli/command_line.h"
#include "cli/verb.h"
#include "cli/recipes/recipe_parts.h"
#include "cli/replay/replay_option_rows.h"

#define CONCURRENCY_LIMIT 20000
#define REPEATED_LIMIT 10000

static char *set_member(struct recipe *r, char *name, const char *json)
{
	if (r->n_set == RECIPE_MEMBERS) {
		free(name);
		return xasprintf("more than %d members to set", RECIPE_MEMBERS);
	}
	r->set[r->n_set++] = (struct member_setting){name, xstrdup(json)};
	return NULL;
}

static char *read_set(void *to, const char *name, const char *value)
{
	struct recipe *r = to;
	const char *is = strchr(value, '=');
	bool good = is && is > value && recipe_target_is_value(is + 1);
	return good ? set_member(r, xstrndup(value, (size_t)(is - value)), is + 1)
	            : xasprintf("--set needs MEMBER=JSON, not %.60s", value);
}

static char *read_temperature(void *to, const char *name, const char *value)
{
	struct recipe *r = to;
	double t;
	bool good = conf_parse_decimal(value, &t) && t > 0 && t <= 10;
	r->sampled = true;
	return good ? set_member(r, xstrdup(name), value)
	            : xasprintf(
	                      "--temperature needs a number above 0, at most 10, not %.60s", value);
}

static char *read_max_tokens(void *to, const char *name, const char *value)
{
	uint64_t n;
	char *problem = options_number(name, value, 1, INT32_MAX, &n);
	return problem ? problem : set_member(to, xstrdup("max_tokens"), value);
}

static char *read_levels(void *to, const char *name, const char *value)
{
	struct recipe *r = to;
	return options_numbers(
	        name, value, 1, CONCURRENCY_LIMIT, r->levels, CAMPAIGN_LEVELS, &r->n_levels);
}

/* as-is is the old name of as_asked. */
static char *read_thinking(void *to, const char *name, const char *value)
{
	struct recipe *r = to;
	if (strcmp(value, "as-is") == 0) {
		value = THINKING_NAMES[THINKING_AS_ASKED];
		fprintf(stderr, "plumbline: --%s as-is is the old name of %s\n", name, value);
	}
	return thinking_parse(value, &r->options.backend.thinking)
	               ? NULL
	               : xasprintf("--%s is as_asked, on or off, not %s", name, value);
}

static char *read_prompts(void *to, const char *name, const char *value)
{
	return recipe_add_source(to, value);
}

const struct option_row RECIPE_BORROWED_OPTIONS[] = {
        OPT_GROUP("options of infer-check (docs/from-infer-check.md):"),
        {"prompts", 0, "SUITE", "a suite", OPT_CALL_ALL(read_prompts)},
        {"output", 0, "DIR", "the same as --capture", OPT_TEXT(struct recipe, options.capture)},
        {"runs", 0, "N", "the same as --repeats",
                OPT_NUMBER(struct recipe, options.repeats, 1, REPEATED_LIMIT)},
        {"base-url", 0, "URL", "the target, or the server of --models",
                OPT_TEXT(struct recipe, borrowed.base_url)},
        {"models", 0, "A=x,B=y", "targets A and B: models x and y at --base-url",
                OPT_TEXT(struct recipe, borrowed.models)},
        {"backends", 0, "A,B", "names of the targets at --base-urls",
                OPT_TEXT(struct recipe, borrowed.backends)},
        {"base-urls", 0, "URL,URL", "a URL for each name in --backends",
                OPT_TEXT(struct recipe, borrowed.base_urls)},
        {"backend", 0, "NAME", "no effect: engines are recognised",
                OPT_TEXT(struct recipe, borrowed.backend)},
        {"label-a", 0, "LABEL", "label of the first target", OPT_TEXT(struct recipe, labels[0])},
        {"label-b", 0, "LABEL", "label of the second target", OPT_TEXT(struct recipe, labels[1])},
        {"enable-thinking", 0, NULL, "the same as --thinking on",
                OPT_SET(struct recipe, options.backend.thinking, THINKING_ON)},
        {"disable-thinking", 0, NULL, "the same as --thinking off",
                OPT_SET(struct recipe, options.backend.thinking, THINKING_OFF)},
        {"report", 0, NULL, "write report.html into the capture's directory",
                OPT_SET(struct recipe, html, true)},
        {"no-report", 0, NULL, "write none (the default)", OPT_SET(struct recipe, html, false)},
        {"quant", 0, "LABEL", "a label for the report (infer-check)",
                OPT_TEXT(struct recipe, quant)},
        OPT_END,
};

const struct option_row RECIPE_OPTIONS[] = {
        {"to", 0, "TARGET", "a target, as the operand TARGET",
                OPT_TEXT(struct recipe, borrowed.to)},
        {"capture", 0, "DIR",
                "record the answers in this directory (a new one here: plumbline-VERB-...)",
                OPT_TEXT(struct recipe, options.capture)},
        OPT_INCLUDE(REPLAY_BACKEND_OPTIONS, struct recipe, options.backend),
        OPT_GROUP("requests (--align greedy by default):"),
        {"concurrency", 0, "N,...",
                "keep N requests in progress; several numbers: one run for each",
                OPT_CALL_ALL(read_levels)},
        {"repeats", 0, "N", "send each request N times to each target; two give noise floors",
                OPT_NUMBER(struct recipe, options.repeats, 1, REPEATED_LIMIT)},
        OPT_INCLUDE(REPLAY_CHOICE_OPTIONS, struct recipe, options),
        {"num-prompts", 0, "N",
                "send N requests of each suite, taken from its categories in turn (all)",
                OPT_NUMBER(struct recipe, options.limit, 1, PLAN_LIMIT)},
        {"seed", 0, "N", "seed of the order, the sample and the answers (0)",
                OPT_NUMBER(struct recipe, options.seed, 0, INT32_MAX)},
        {"chat", 0, NULL, "send chats as chats (the default)",
                OPT_SET(struct recipe, no_chat, false)},
        {"no-chat", 0, NULL, "send chats as completions, written out with --template",
                OPT_SET(struct recipe, no_chat, true)},
        {"template", 0, "NAME", "chat template with which --no-chat writes chats",
                OPT_TEXT(struct recipe, template)},
        {"thinking", 0, "HOW", "let the model reason: on, off or as_asked (as_asked)",
                OPT_CALL_ALL(read_thinking)},
        {"set", 0, "MEMBER=JSON", "set a member in each request; may be given several times",
                OPT_CALL_ALL(read_set)},
        {"max-tokens", 0, "N", "set max_tokens in each request", OPT_CALL_ALL(read_max_tokens)},
        OPT_INCLUDE(REPLAY_SEND_OPTIONS, struct recipe, options),
        OPT_GROUP("the report:"),
        {"python", 0, "FILE",
                "use this Python, which has Math-Verify, to grade mathematical values "
                "(/usr/bin/python3)",
                OPT_TEXT(struct recipe, python)},
        OPT_INCLUDE(ANALYZE_REPORT_OPTIONS, struct recipe, report),
        OPT_END,
};

const struct option_row RECIPE_SAMPLED_OPTIONS[] = {
        OPT_GROUP("sampled answers:"),
        {"temperature", 0, "T", "sample at this temperature, each repeat with its own seed",
                OPT_CALL_ALL(read_temperature)},
        {"seeds", 0, "N", "number of repeats, with --temperature",
                OPT_NUMBER(struct recipe, options.repeats, 1, REPEATED_LIMIT)},
        OPT_END,
};

const struct option_row RECIPE_COMPARISON_OPTIONS[] = {
        RECIPE_OPERANDS,
        OPT_INCLUDE_SAME(RECIPE_OPTIONS),
        OPT_INCLUDE(ANALYZE_ACCEPTED_OPTIONS, struct recipe, report),
        OPT_INCLUDE_SAME(RECIPE_SAMPLED_OPTIONS),
        OPT_INCLUDE_SAME(RECIPE_BORROWED_OPTIONS),
        OPT_END,
};

bool recipe_read(struct recipe *r, const struct recipe_verb *verb, void *to, int argc, char **argv,
        int *ret_code)
{
	const char *name = verb->verb.name;
	*r = (struct recipe){
	        .verb = verb,
	        .report = {.command = name},
	        .options = {.backend = {.command = name, .has_align = true},
	                .rules = {.share = 1, .filters = {.known = REQUEST_CHOICE_KEYS}},
	                .order = ORDER_SHUFFLED,
	                .limit = UINT64_MAX,
	                .timeout = 600 * SECOND_NS,
	                .repeats = verb->repeats,
	                .extends = true,
	                .error_limit = 1,
	                .top = ASKING_TOP_DEFAULT},
	};
	r->options.backend.align = ALIGN_GREEDY;
	r->report.line = command_line_text(name, argc, argv, NULL);
	out_files_init(&r->report.saving, argc);
	if (!verb_read(&verb->verb, argc, argv, to, &r->line, ret_code)) {
		return false;
	}
	r->options.even = options_given(&r->line, "num-prompts");
	r->report.limit_option = r->options.even ? "--num-prompts" : "--limit";
	r->report.recipe = command_line_text(name, argc, argv, r->report.limit_option);
	char *problem = recipe_arguments(r);
	if (problem) {
		*ret_code = verb_usage(&verb->verb, problem);
	}
	return !problem;
}
