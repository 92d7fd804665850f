#include "commands/analyze_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/exhibits.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/options.h"

#define JOBS_LIMIT 64

static const char USAGE[] =
        "usage: plumbline analyze DIR... [options]\n"
        "       plumbline analyze --from-pairs FILE... [options]\n"
        "\n"
        "Compares the recorded answers to each request and ends in a verdict: SAME, DIFFERENT or "
        "UNCLEAR. The\n"
        "primary is compared with a reference, a candidate with the primary.\n"
        "\n" SELECTING_USAGE "  --jobs N       threads; the figures are the same, bit for bit\n"
        "  --out FILE     saves the report too, in the form that its name ends in: .json, .html, "
        ".md,\n"
        "                 .txt, .xml (JUnit); may be given several times\n"
        "  --exhibits N   how many pairs of answers the report shows, the worst first; 0: none, "
        "so that no\n"
        "                 content leaves the capture. 250 with --out, none with --json alone\n"
        "  --least-effect [FIGURE=]SIZE\n"
        "                 the smallest difference that matters: differ (2%, decides), "
        "answer_changed (2%),\n"
        "                 top_differs (0.2%), hazard (1 first difference per 1,000 tokens), k3 "
        "(0.005 nats\n"
        "                 per token, decides sampled answers)\n"
        "  --as rollout   adds what a training run needs to know that takes the answers of the "
        "test for those\n"
        "                 of the base: importance ratios, k1, k3, effective sample size "
        "(docs/sampled.md)\n"
        "  --from-pairs   reads rows that plumbline pairs wrote, all parts of a capture in any "
        "order, and makes\n"
        "                 the same report of them, without pairs of answers. What is analyzed was "
        "chosen then\n"
        "  --partial      with --from-pairs: parts may be missing; the report says so\n"
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
        "  plumbline analyze --from-pairs part-1.ndjson part-2.ndjson\n"
        "  plumbline analyze monday tuesday --json > analysis.json\n"
        "\n"
        "exit codes: 0 SAME, 1 DIFFERENT, 4 UNCLEAR; 2 command line, 3 the capture can't be "
        "read.\n"
        "With --policy: 0 it holds, 1 it fails, 2 its file is wrong, 4 too little data to tell\n";

void analyze_options_usage(void)
{
	fputs(USAGE, stdout);
}

enum {
	OPTION_JOBS = 256,
	OPTION_OUT,
	OPTION_EXHIBITS,
	OPTION_LEAST_EFFECT,
	OPTION_AS,
	OPTION_FROM_PAIRS,
	OPTION_PARTIAL,
	OPTION_POLICY,
	OPTION_JSON,
};

static const struct option OPTIONS[] = {
        SELECTING_FLAGS,
        SELECTING_BY_FLAG,
        {"jobs", required_argument, NULL, OPTION_JOBS},
        {"out", required_argument, NULL, OPTION_OUT},
        {"exhibits", required_argument, NULL, OPTION_EXHIBITS},
        {"least-effect", required_argument, NULL, OPTION_LEAST_EFFECT},
        {"as", required_argument, NULL, OPTION_AS},
        {"from-pairs", no_argument, NULL, OPTION_FROM_PAIRS},
        {"partial", no_argument, NULL, OPTION_PARTIAL},
        {"policy", required_argument, NULL, OPTION_POLICY},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

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
	size_t figure = EXCESS_DIFFER, len = sign ? (size_t)(sign - value) : 0;
	char *end;
	if (sign) {
		for (figure = 0; figure < N_LEAST_EFFECTS; figure++) {
			const char *name = least_effect_name(figure);
			if (strlen(name) == len && memcmp(name, value, len) == 0) {
				break;
			}
		}
	}
	if (figure == N_LEAST_EFFECTS) {
		return xasprintf("--least-effect: %.60s is none of differ, answer_changed, hazard, "
		                 "top_differs and k3",
		        value);
	}
	double effect = strtod(size, &end);
	bool percent = strcmp(end, "%") == 0;
	effect /= figure == EXCESS_HAZARD ? 1000 : percent ? 100 : 1;
	bool is_share = figure != EXCESS_HAZARD && figure != LEAST_K3;
	bool fits = end != size && (percent ? is_share : *end == '\0');
	if (!fits || !(effect > 0 && effect <= 1)) {
		return xasprintf("--least-effect: %.60s is not a share such as 1%% or 0.01, of "
		                 "hazard a number per 1,000 tokens, or of k3 nats per token",
		        value);
	}
	for (size_t i = 0; !o->analysis.least_effects && i < N_LEAST_EFFECTS; i++) {
		o->least_effects[i] = least_effect_default(i);
	}
	o->least_effects[figure] = effect;
	o->analysis.least_effects = o->least_effects;
	return NULL;
}

static char *take_option(void *arg, int option, const char *value)
{
	struct analyze_options *o = arg;
	if (selecting_has(option)) {
		return selecting_take(&o->selecting, option, value);
	}
	switch (option) {
	case OPTION_JOBS:
		return take_jobs(value, &o->analysis.jobs);
	case OPTION_OUT:
		return saving_take(&o->saving, value);
	case OPTION_EXHIBITS:
		o->has_exhibits = true;
		return take_exhibits(value, &o->analysis.exhibits);
	case OPTION_LEAST_EFFECT:
		return analyze_options_least_effect(o, value);
	case OPTION_AS:
		o->as_rollout = strcmp(value, "rollout") == 0;
		return o->as_rollout ? NULL : xasprintf("--as: %.60s is not rollout", value);
	case OPTION_FROM_PAIRS:
		o->from_pairs = true;
		return NULL;
	case OPTION_PARTIAL:
		o->partial = true;
		return NULL;
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

/* What was chosen is in the rows, and texts are not. */
static char *check_from_pairs(struct analyze_options *o)
{
	const struct selecting *s = &o->selecting;
	if (s->base || s->test || s->since || s->until || s->n_where > 0 || s->by != SLICE_NONE) {
		return xstrdup(
		        "--from-pairs takes what was chosen when the rows were written: give "
		        "--base, --test, --since, --until, --where and --by to plumbline pairs");
	}
	if (o->has_exhibits && o->analysis.exhibits > 0) {
		return xstrdup("--exhibits needs the capture, and --from-pairs has rows alone");
	}
	o->analysis.exhibits = 0;
	return NULL;
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
	problem = ret->from_pairs ? check_from_pairs(ret)
	                          : selecting_parse(&ret->selecting, &ret->analysis);
	if (problem) {
		return problem;
	}
	if (ret->partial && !ret->from_pairs) {
		return xstrdup("--partial goes with --from-pairs");
	}
	const char *missing = ret->from_pairs
	                              ? "which rows? Give the files that plumbline pairs wrote"
	                              : "which capture? Give its directory";
	return rest.n ? NULL : xstrdup(missing);
}

void analyze_options_finish(struct analyze_options *o)
{
	saving_finish(&o->saving);
	selecting_finish(&o->selecting);
}
