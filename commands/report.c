/*
 * plumbline report - a saved analysis again, in any form.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "base/options.h"
#include "commands/saving.h"
#include "commands/verdict.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/saved.h"

static const char USAGE[] =
        "usage: plumbline report SAVED.json [options]\n"
        "\n"
        "Makes the forms of a report again from an analysis that was saved (plumbline analyze "
        "--out x.json),\n"
        "without the capture; by default its summary on the terminal.\n"
        "\n"
        "  SAVED.json     or - for standard input\n"
        "  --out FILE     saves it in the form that the name ends in; may be given several times\n"
        "  --policy FILE  checks it by these limits (docs/policy.md), in place of those before\n"
        "  --json         the document instead of the summary\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline report monday.json\n"
        "  plumbline report monday.json --policy stricter.yaml --out monday.md --out monday.xml\n"
        "\n"
        "exit codes: as of plumbline analyze; 3 the file can't be read, is no analysis, or is a "
        "newer one\n";

struct report_line {
	const char *saved, *policy;
	struct saving saving;
	bool json, help;
};

enum { OPTION_OUT = 256, OPTION_POLICY, OPTION_JSON };

static const struct option OPTIONS[] = {
        {"out", required_argument, NULL, OPTION_OUT},
        {"policy", required_argument, NULL, OPTION_POLICY},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *take_option(void *arg, int option, const char *value)
{
	struct report_line *l = arg;
	switch (option) {
	case OPTION_OUT:
		return saving_take(&l->saving, value);
	case OPTION_POLICY:
		l->policy = value;
		return NULL;
	case OPTION_JSON:
		l->json = true;
		return NULL;
	default:
		never("a flag of the table that nobody takes");
	}
}

static char *parse(int argc, char **argv, struct report_line *ret)
{
	struct operands rest = {0};
	char *problem = options_read(argc, argv, OPTIONS, take_option, ret, &rest);
	ret->help = rest.help;
	if (problem || ret->help) {
		return problem;
	}
	ret->saved = rest.n == 1 ? rest.words[0] : NULL;
	return rest.n == 1 ? NULL
	       : rest.n    ? xstrdup("one saved analysis is wanted; two are compared by plumbline "
	                                "diff-report")
	                   : xstrdup("which analysis? Give the file that plumbline analyze --out "
	                                "FILE.json wrote");
}

static int run(const struct report_line *l)
{
	char *error = NULL;
	struct policy *policy = l->policy ? policy_load(l->policy, &error) : NULL;
	if (l->policy && !policy) {
		return commands_fail("report", EXIT_USAGE, error);
	}
	json_t *document = saved_load(l->saved, &error);
	if (!document) {
		policy_destroy(policy);
		return commands_fail("report", EXIT_RUNTIME, error);
	}
	metric_note_units(document); /* an earlier program did not write them */
	if (policy) {
		(void)policy_check(policy, document);
	}
	int saved = saving_write(&l->saving, "report", document);
	form_write(l->json ? FORM_JSON : FORM_TEXT, document, stdout);
	int code = saved < 0 ? EXIT_RUNTIME : verdict_of_document(document);
	json_decref(document);
	policy_destroy(policy);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return commands_fail(
		        "report", EXIT_RUNTIME, xstrdup("the report can't be written"));
	}
	return code;
}

int command_report(int argc, char **argv)
{
	struct report_line l = {0};
	saving_init(&l.saving, argc);
	char *problem = parse(argc, argv, &l);
	int code = EXIT_PASS;
	if (problem) {
		code = commands_fail("report", EXIT_USAGE, problem);
	} else if (l.help) {
		fputs(USAGE, stdout);
	} else {
		code = run(&l);
	}
	saving_finish(&l.saving);
	return code;
}
