#include "commands/analyze_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/exhibits.h"
#include "base/check.h"
#include "base/mem.h"
#include "commands/options.h"

#define JOBS_LIMIT 64

static const char USAGE[] =
        "usage: plumbline analyze DIR... [options]\n"
        "\n"
        "Pairs the recorded answers to each request and says how many differ, where they part, and "
        "by how\n"
        "much. Against a reference the primary is on trial; a candidate is on trial against the "
        "primary.\n"
        "\n"
        "  --base NAME[@RUN]   the backend that is held to be right; with --test\n"
        "  --test NAME[@RUN]   the backend on trial; with --base. The same name twice: its "
        "repeats. RUN is\n"
        "                 a number, first, last, or an id or its beginning: capture ls --runs "
        "lists them\n"
        "  --since TIME   exchanges from then on: 2026-01-31T18:00 (UTC), or how long ago: 2h, "
        "7d\n"
        "  --until TIME   exchanges before then\n"
        "  --where KEY=VALUE   only these; KEY!=VALUE: all others. Given several times, all "
        "must hold. Of\n"
        "                 requests: model, endpoint, stream, tools, id, session, category; of "
        "answers:\n"
        "                 backend, run, status, outcome, replica. VALUE may be a pattern "
        "(model='qwen*')\n"
        "  --by WHAT      stack or replica: a deployment in mid-capture, or each server behind "
        "an address,\n"
        "                 is shown by itself\n"
        "  --jobs N       threads; the figures are the same, bit for bit\n"
        "  --out FILE     saves the report too, in the form that its name ends in: .json, .html, "
        ".md,\n"
        "                 .txt, .xml (JUnit); may be given several times\n"
        "  --exhibits N   how many pairs of answers the report shows, the worst first; 0: none, "
        "so that no\n"
        "                 content leaves the capture. 250 with --out, none with --json alone\n"
        "  --least-effect [FIGURE=]SIZE\n"
        "                 the smallest difference that matters: differ (2%, what decides), "
        "answer_changed (2%),\n"
        "                 top_differs (0.2%), hazard (1 first difference per 1,000 tokens)\n"
        "  --policy FILE  limits on figures; the exit code then says whether they hold "
        "(docs/policy.md)\n"
        "  --json         one JSON document instead of the table\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline analyze capture\n"
        "  plumbline analyze capture --base trusted --test trusted-2     the noise between two "
        "references\n"
        "  plumbline analyze capture --policy configs/policies/upgrade.yaml --out verdict.json\n"
        "  plumbline analyze capture --base primary@first --test new@last     an upgrade that "
        "was replayed\n"
        "  plumbline analyze capture --since 2h --where model='llama-*' --where stream=yes\n"
        "  plumbline analyze monday tuesday --json > analysis.json\n"
        "\n"
        "exit codes: the verdict: 0 SAME, 1 DIFFERENT, 4 UNCLEAR; 2 command line, 3 the capture "
        "can't be read.\n"
        "With --policy: 0 it holds, 1 it fails, 2 its file is wrong, 4 too little data to tell\n";

void analyze_options_usage(void)
{
	fputs(USAGE, stdout);
}

enum {
	OPTION_BASE = 256,
	OPTION_TEST,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_WHERE,
	OPTION_BY,
	OPTION_JOBS,
	OPTION_OUT,
	OPTION_EXHIBITS,
	OPTION_LEAST_EFFECT,
	OPTION_POLICY,
	OPTION_JSON,
};

static const struct option OPTIONS[] = {
        {"base", required_argument, NULL, OPTION_BASE},
        {"test", required_argument, NULL, OPTION_TEST},
        {"since", required_argument, NULL, OPTION_SINCE},
        {"until", required_argument, NULL, OPTION_UNTIL},
        {"where", required_argument, NULL, OPTION_WHERE},
        {"by", required_argument, NULL, OPTION_BY},
        {"jobs", required_argument, NULL, OPTION_JOBS},
        {"out", required_argument, NULL, OPTION_OUT},
        {"exhibits", required_argument, NULL, OPTION_EXHIBITS},
        {"least-effect", required_argument, NULL, OPTION_LEAST_EFFECT},
        {"policy", required_argument, NULL, OPTION_POLICY},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *take_by(const char *value, enum slice_by *ret)
{
	static const char *const WORDS[] = {"stack", "replica", NULL};
	static const enum slice_by BY[] = {SLICE_STACK, SLICE_REPLICA};
	int word = 0;
	char *problem = options_word("by", value, WORDS, &word);
	*ret = BY[word];
	return problem;
}

static char *take_jobs(const char *value, unsigned *ret)
{
	uint64_t n = 0;
	char *problem = options_number("jobs", value, 1, JOBS_LIMIT, &n);
	*ret = (unsigned)n;
	return problem;
}

static char *take_exhibits(const char *value, size_t *ret)
{
	uint64_t n = 0;
	char *problem = options_number("exhibits", value, 0, EXHIBITS_MOST, &n);
	*ret = (size_t)n;
	return problem;
}

char *analyze_options_least_effect(struct analyze_options *o, const char *value)
{
	const char *sign = strchr(value, '='), *size = sign ? sign + 1 : value;
	size_t figure = BLAME_DIFFER, len = sign ? (size_t)(sign - value) : 0;
	char *end;
	if (sign) {
		for (figure = 0; figure < N_BLAMES; figure++) {
			const char *name = blame_name((enum blame_figure)figure);
			if (strlen(name) == len && memcmp(name, value, len) == 0) {
				break;
			}
		}
	}
	if (figure == N_BLAMES) {
		return xasprintf("--least-effect: %.60s is none of differ, answer_changed, hazard "
		                 "and top_differs",
		        value);
	}
	double effect = strtod(size, &end);
	bool percent = strcmp(end, "%") == 0;
	effect /= figure == BLAME_HAZARD ? 1000 : percent ? 100 : 1;
	bool fits = end != size && (percent ? figure != BLAME_HAZARD : *end == '\0');
	if (!fits || !(effect > 0 && effect <= 1)) {
		return xasprintf("--least-effect: %.60s is not a share such as 1%% or 0.01, or of "
		                 "hazard a number per 1,000 tokens",
		        value);
	}
	for (size_t i = 0; !o->analysis.least_effects && i < N_BLAMES; i++) {
		o->least_effects[i] = blame_least((enum blame_figure)i);
	}
	o->least_effects[figure] = effect;
	o->analysis.least_effects = o->least_effects;
	return NULL;
}

static char *take_option(void *arg, int option, const char *value)
{
	struct analyze_options *o = arg;
	switch (option) {
	case OPTION_BASE:
		o->selecting.base = value;
		return NULL;
	case OPTION_TEST:
		o->selecting.test = value;
		return NULL;
	case OPTION_SINCE:
		o->selecting.since = value;
		return NULL;
	case OPTION_UNTIL:
		o->selecting.until = value;
		return NULL;
	case OPTION_WHERE:
		return selecting_where(&o->selecting, value);
	case OPTION_BY:
		return take_by(value, &o->analysis.by);
	case OPTION_JOBS:
		return take_jobs(value, &o->analysis.jobs);
	case OPTION_OUT:
		return saving_take(&o->saving, value);
	case OPTION_EXHIBITS:
		o->has_exhibits = true;
		return take_exhibits(value, &o->analysis.exhibits);
	case OPTION_LEAST_EFFECT:
		return analyze_options_least_effect(o, value);
	case OPTION_POLICY:
		o->policy = value;
		return NULL;
	case OPTION_JSON:
		o->json = true;
		return NULL;
	default:
		never("a flag of the table that nobody takes");
	}
}

char *analyze_options_parse(int argc, char **argv, struct analyze_options *ret)
{
	struct operands rest = {0};
	*ret = (struct analyze_options){.command = "analyze"};
	saving_init(&ret->saving, argc);
	char *problem = options_read(argc, argv, OPTIONS, take_option, ret, &rest);
	ret->help = rest.help;
	if (problem || ret->help) {
		return problem;
	}
	if (!ret->has_exhibits && ret->saving.n > 0) {
		ret->analysis.exhibits = EXHIBITS_USUAL;
	}
	ret->dirs = rest.words;
	ret->n_dirs = rest.n;
	problem = selecting_parse(&ret->selecting, &ret->analysis);
	if (problem) {
		return problem;
	}
	return rest.n ? NULL : xstrdup("which capture? Give its directory");
}

void analyze_options_finish(struct analyze_options *o)
{
	saving_finish(&o->saving);
	selecting_finish(&o->selecting);
}
