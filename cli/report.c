/*
 * plumbline report - prints a saved analysis again, in any form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/commands.h"
#include "cli/verb.h"
#include "base/options.h"
#include "cli/out_files.h"
#include "cli/analyze_run.h"
#include "cli/run_verdict.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/policy/policy_check.h"
#include "analyzer/report/saved.h"

struct report_line {
	const char *saved, *policy;
	struct out_files saving;
	bool json, full;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("SAVED.json", "a saved analysis; -: standard input; DIR: the report of the "
                                  "recipe (compare, stress, …) that recorded the capture DIR"),
        OPT_INCLUDE(OUT_FILES_OPTIONS, struct report_line, saving),
        {"policy", 0, "FILE",
                "check the analysis against this policy (docs/policy.md) instead of the saved one",
                OPT_TEXT(struct report_line, policy)},
        {"full", 0, NULL, "print all figures and causes, not only the first screen",
                OPT_BOOL(struct report_line, full)},
        {"json", 0, NULL, "print the document instead of the summary",
                OPT_BOOL(struct report_line, json)},
        OPT_END,
};

static const struct verb REPORT = {
        .name = "report",
        .usage = "SAVED.json|DIR [options]",
        .about = "Writes the report of a saved analysis (plumbline analyze --out x.json) again, "
                 "without the capture; by default its summary on the terminal.",
        .options = OPTIONS,
        .examples = "plumbline report monday.json\n"
                    "plumbline report plumbline-compare-old-new-20260131-3f2a --full\n"
                    "plumbline report monday.json --policy stricter.yaml --out monday.md "
                    "\\\n    --out monday.xml",
        .exit_codes = "as plumbline analyze; 3 the file can't be read, is not an analysis, or is "
                      "of a newer version",
};

static int run(const struct report_line *l)
{
	char *error = NULL;
	struct policy *policy = l->policy ? policy_load(l->policy, &error) : NULL;
	if (l->policy && !policy) {
		return verb_fail("report", EXIT_USAGE, error);
	}
	struct stat st;
	bool is_dir = stat(l->saved, &st) == 0 && S_ISDIR(st.st_mode);
	if (is_dir && !run_verdict_has_report(l->saved)) {
		policy_destroy(policy);
		return verb_fail("report", EXIT_RUNTIME,
		        xasprintf("%s has no " RUN_REPORT_FILE ", which a recipe (compare, stress, "
		                  "…) writes. If it is a capture: plumbline analyze %s",
		                l->saved, l->saved));
	}
	char *path = xasprintf("%s%s", l->saved, is_dir ? "/" RUN_REPORT_FILE : "");
	json_t *document = saved_load(path, &error);
	free(path);
	if (!document) {
		policy_destroy(policy);
		return verb_fail("report", EXIT_RUNTIME, error);
	}
	metric_set_units(document); /* an earlier version did not write them */
	if (policy) {
		(void)policy_check(policy, document);
	}
	int saved = out_files_write(&l->saving, "report", document);
	json_t *shown = out_files_shown(&l->saving, document, OUTPUT_FORMAT_TEXT);
	if (l->json) {
		output_format_write(OUTPUT_FORMAT_JSON, shown, stdout);
	} else {
		output_format_print(shown, l->full, stdout);
	}
	json_decref(shown);
	int code = saved < 0 ? EXIT_RUNTIME : analyze_exit_code(document);
	json_decref(document);
	policy_destroy(policy);
	return verb_flush("report", code);
}

int command_report(int argc, char **argv)
{
	struct report_line l = {0};
	struct operands rest;
	int code;
	out_files_init(&l.saving, argc);
	if (verb_read(&REPORT, argc, argv, &l, &rest, &code)) {
		l.saved = rest.words[0];
		char *problem = rest.n == 1 ? out_files_check(&l.saving, NULL)
		                : rest.n ? xstrdup("give one saved analysis; plumbline diff-report "
		                                   "compares two")
		                         : xstrdup("no analysis is given: name the file that "
		                                   "plumbline analyze --out FILE.json wrote, or "
		                                   "the capture of a recipe");
		code = problem ? verb_usage(&REPORT, problem) : run(&l);
	}
	out_files_finish(&l.saving);
	return code;
}
