#include "cli/analyze_options.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/exhibits.h"
#include "base/mem.h"
#include "cli/command_line.h"
#include "cli/verb.h"

#define JOBS_LIMIT 64

/* Reads "1%" or "hazard=0.5". Without a name the value applies to the figure that decides. */
static char *read_least_effect(void *to, const char *name, const char *value)
{
	struct analyze_options *o = to;
	const char *sign = strchr(value, '='), *size = sign ? sign + 1 : value;
	size_t figure = EXCESS_DIFFER, len = sign ? (size_t)(sign - value) : 0;
	char *end;
	if (sign) {
		for (figure = 0; figure < N_LEAST_EFFECTS; figure++) {
			const char *known = least_effect_name(figure);
			if (strlen(known) == len && memcmp(known, value, len) == 0) {
				break;
			}
		}
	}
	if (figure == N_LEAST_EFFECTS) {
		return xasprintf("--least-effect: %.60s is not one of differ, answer_changed, "
		                 "hazard, top_differs and k3",
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

const struct option_row ANALYZE_REPORT_OPTIONS[] = {
        {"jobs", 0, "N", "use N threads (1); the figures do not depend on N",
                OPT_NUMBER(struct analyze_options, analysis.jobs, 1, JOBS_LIMIT)},
        OPT_INCLUDE(OUT_FILES_OPTIONS, struct analyze_options, saving),
        {"exhibits", 0, "N",
                "show N pairs of answers in the report, the worst first; 0: none, so that no "
                "content leaves the capture (250 with --out, none with --json alone)",
                OPT_NUMBER(struct analyze_options, analysis.exhibits, 0, EXHIBITS_MOST)},
        {"least-effect", 0, "[FIGURE=]SIZE",
                "the smallest difference that matters: differ (2%, decides), answer_changed (2%), "
                "top_differs (0.2%), hazard (1 first difference per 1,000 tokens), k3 (0.005 nats "
                "per token, decides sampled answers)",
                OPT_CALL_ALL(read_least_effect)},
        {"policy", 0, "FILE",
                "check the figures against the limits in this file; the exit code says whether "
                "they hold (docs/policy.md)",
                OPT_TEXT(struct analyze_options, policy)},
        {"full", 0, NULL, "print all figures and causes, not only the first screen",
                OPT_BOOL(struct analyze_options, full)},
        {"json", 0, NULL, "print one JSON document instead of the table",
                OPT_BOOL(struct analyze_options, json)},
        OPT_END,
};

const struct option_row ANALYZE_ACCEPTED_OPTIONS[] = {
        {"accepted", 0, "FILE",
                "fail only if there are differences that this file of plumbline baseline does not "
                "have (docs/policy.md)",
                OPT_TEXT(struct analyze_options, accepted)},
        OPT_END,
};

/* The option is stored as a bool, so this is its only word. */
static const char *const AS_WORDS[] = {"rollout", NULL};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        OPT_INCLUDE_SAME(ANALYZE_REPORT_OPTIONS),
        OPT_INCLUDE_SAME(ANALYZE_ACCEPTED_OPTIONS),
        {"as", 0, "rollout",
                "add figures for training the base's model on the test's answers: importance "
                "ratios, k1, k3, effective sample size (docs/sampled.md)",
                OPT_WORD_FROM(struct analyze_options, as_rollout, AS_WORDS, true)},
        OPT_GROUP("what is compared:"),
        OPT_INCLUDE(SELECTING_OPTIONS, struct analyze_options, selecting),
        OPT_INCLUDE(SELECTING_BY_OPTIONS, struct analyze_options, selecting),
        OPT_GROUP("from rows:"),
        {"from-pairs", 0, NULL,
                "read rows that plumbline pairs wrote (all parts of a capture, in any order) and "
                "make the same report, without pairs of answers",
                OPT_BOOL(struct analyze_options, from_pairs)},
        {"partial", 0, NULL, "with --from-pairs: parts may be missing; the report says so",
                OPT_BOOL(struct analyze_options, partial)},
        OPT_END,
};

static const struct verb ANALYZE = {
        .name = "analyze",
        .usage = "DIR... [options]\n--from-pairs FILE... [options]",
        .about = "Compares the recorded answers to each request and ends in a verdict: SAME, "
                 "DIFFERENT or UNCLEAR. It compares the primary with a reference, and a candidate "
                 "with the primary.",
        .options = OPTIONS,
        .examples = "plumbline analyze capture\n"
                    "# the noise between two references\n"
                    "plumbline analyze capture --base trusted --test trusted-2\n"
                    "plumbline analyze capture --policy configs/policies/upgrade.yaml \\\n"
                    "    --out verdict.json\n"
                    "# fail on new differences only\n"
                    "plumbline analyze capture --accepted accepted.json\n"
                    "# an upgrade that was replayed\n"
                    "plumbline analyze capture --base primary@first --test new@last\n"
                    "plumbline analyze capture --since 2h --where model='llama-*' \\\n"
                    "    --where stream=yes\n"
                    "plumbline analyze --from-pairs part-1.ndjson part-2.ndjson\n"
                    "plumbline analyze monday tuesday --json > analysis.json",
        .exit_codes = "0 SAME, 1 DIFFERENT, 4 UNCLEAR; 2 command line, 3 the capture can't be "
                      "read. With --policy: 0 it holds, 1 it fails, 2 its file is wrong, 4 too few "
                      "data to decide. With --accepted: 0 also if every difference is accepted",
};

/* Rows contain no texts, and their selection was made when they were written. Refuses the options
 * that need texts or another selection. */
static char *check_from_pairs(struct analyze_options *o)
{
	const struct selecting *s = &o->selecting;
	if (s->base || s->test || s->since || s->until || s->n_where > 0 || s->by != SLICE_NONE) {
		return xstrdup("--from-pairs excludes --base, --test, --since, --until, --where "
		               "and --by: give these to plumbline pairs");
	}
	if (o->has_exhibits && o->analysis.exhibits > 0) {
		return xstrdup("--exhibits needs the capture; --from-pairs has only rows");
	}
	if (o->accepted) {
		return xstrdup("--accepted needs the capture; --from-pairs has only rows");
	}
	o->analysis.exhibits = 0;
	return NULL;
}

void analyze_options_set_exhibits(
        struct analyze_options *o, const struct operands *line, bool shows_pairs)
{
	o->has_exhibits = options_given(line, "exhibits");
	o->saving.with_text |= o->has_exhibits && o->analysis.exhibits > 0;
	if (!o->has_exhibits && (shows_pairs || out_files_shows_pairs(&o->saving))) {
		o->analysis.exhibits = EXHIBITS_USUAL;
	}
}

static char *settle(const struct operands *line, struct analyze_options *o)
{
	analyze_options_set_exhibits(o, line, false);
	o->dirs = line->words;
	o->n_dirs = line->n;
	char *problem =
	        o->from_pairs ? check_from_pairs(o) : selecting_parse(&o->selecting, &o->analysis);
	if (problem) {
		return problem;
	}
	if (o->partial && !o->from_pairs) {
		return xstrdup("--partial needs --from-pairs");
	}
	if (line->n > 0) {
		return out_files_check(&o->saving, NULL);
	}
	const char *missing =
	        o->from_pairs ? "no file is given: name the files that plumbline pairs wrote"
	                      : "no capture is given: name its directory";
	return xstrdup(missing);
}

bool analyze_options_read(int argc, char **argv, struct analyze_options *ret, int *ret_code)
{
	struct operands line;
	*ret = (struct analyze_options){.command = "analyze"};
	ret->line = command_line_text(ret->command, argc, argv, NULL);
	out_files_init(&ret->saving, argc);
	if (!verb_read(&ANALYZE, argc, argv, ret, &line, ret_code)) {
		return false;
	}
	char *problem = settle(&line, ret);
	if (problem) {
		*ret_code = verb_usage(&ANALYZE, problem);
	}
	return !problem;
}

void analyze_options_finish(struct analyze_options *o)
{
	free(o->line);
	free(o->recipe);
	out_files_finish(&o->saving);
	selecting_finish(&o->selecting);
}
