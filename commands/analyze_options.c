#include "commands/analyze_options.h"

#include <stdio.h>
#include <stdlib.h>

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
        "  --jobs N       threads; the figures are the same, bit for bit. Not with --by\n"
        "  --out FILE     saves the report too, in the form that its name ends in: .json, .html, "
        ".md,\n"
        "                 .txt, .xml (JUnit); may be given several times\n"
        "  --exhibits N   how many pairs of answers the report shows, the worst first; 0: none, "
        "so that no\n"
        "                 content leaves the capture. 250 with --out, none with --json alone\n"
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
        "exit codes: 0 no greedy answers differ, 1 some differ, 2 command line, 3 the capture "
        "can't be read,\n"
        "4 not enough data: nothing recorded, no pairs, or no greedy ones; with --policy: 0 it "
        "holds,\n"
        "1 it fails, 2 its file is wrong, 4 too little data to tell\n";

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
