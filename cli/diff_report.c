/*
 * plumbline diff-report - two saved analyses, compared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "base/options.h"
#include "cli/out_files.h"
#include "analyzer/report/policy/change.h"
#include "analyzer/report/saved.h"

struct diff_line {
	const char *before, *after;
	struct out_files saving;
	bool full, json;
};

static const struct option_row OPTIONS[] = {
        {"out", 0, "FILE",
                "save the comparison; the name ends in .json, .md or .txt; may be given several "
                "times",
                OPT_CALL(struct diff_line, saving, out_files_read)},
        {"full", 0, NULL, "print all tested figures, causes and stacks, not only the first screen",
                OPT_BOOL(struct diff_line, full)},
        {"json", 0, NULL, "print the document (docs/change.schema.json) instead of the summary",
                OPT_BOOL(struct diff_line, json)},
        OPT_END,
};

static const struct verb DIFF_REPORT = {
        .name = "diff-report",
        .usage = "BEFORE.json AFTER.json [options]",
        .about =
                "Compares two saved analyses (plumbline analyze --out x.json), such as yesterday's "
                "and today's. Says how much each figure changed, with an interval, and which "
                "causes, stacks and pairs of backends are new or gone. Also says which rules of a "
                "policy have another result. It matches pairs of backends by their names.",
        .options = OPTIONS,
        .examples = "plumbline diff-report monday.json tuesday.json\n"
                    "plumbline diff-report before.json after.json --out change.md",
        .exit_codes = "0 no figure is shown to be worse, 1 one is, 2 command line, 3 a file can't "
                      "be read, 4 not enough data to compare",
};

static int compare(const struct diff_line *l, const json_t *before, const json_t *after)
{
	static const int CODES[] = {
	        [CHANGE_NONE] = EXIT_PASS,
	        [CHANGE_SEEN] = EXIT_PASS,
	        [CHANGE_WORSE] = EXIT_DIFFERENCE,
	        [CHANGE_NOT_ENOUGH] = EXIT_NOT_ENOUGH,
	};
	const struct change_side then = {l->before, before}, now = {l->after, after};
	json_t *change = change_of(&then, &now);
	int saved = out_files_write(&l->saving, "diff-report", change);
	if (l->json) {
		output_format_write(OUTPUT_FORMAT_JSON, change, stdout);
	} else {
		output_format_print(change, l->full, stdout);
	}
	int code = saved < 0 ? EXIT_RUNTIME : CODES[change_verdict_of(change)];
	json_decref(change);
	return code;
}

static int run(const struct diff_line *l)
{
	char *error = NULL;
	json_t *before = saved_load(l->before, &error);
	json_t *after = before ? saved_load(l->after, &error) : NULL;
	int code =
	        after ? compare(l, before, after) : verb_fail("diff-report", EXIT_RUNTIME, error);
	json_decref(before);
	json_decref(after);
	return verb_flush("diff-report", code);
}

int command_diff_report(int argc, char **argv)
{
	struct diff_line l = {.saving = {0}};
	struct operands rest;
	int code;
	out_files_init(&l.saving, argc);
	l.saving.of_change = true;
	if (verb_read(&DIFF_REPORT, argc, argv, &l, &rest, &code)) {
		l.before = rest.words[0];
		l.after = rest.n == 2 ? rest.words[1] : NULL;
		char *problem =
		        l.after ? out_files_check(&l.saving, NULL)
		                : xstrdup("give two saved analyses: BEFORE.json AFTER.json");
		code = problem ? verb_usage(&DIFF_REPORT, problem) : run(&l);
	}
	out_files_finish(&l.saving);
	return code;
}
