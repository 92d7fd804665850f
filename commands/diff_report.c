/*
 * plumbline diff-report - two saved analyses, compared.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "base/options.h"
#include "commands/saving.h"
#include "analyzer/report/change.h"
#include "analyzer/report/saved.h"

static const char USAGE[] =
        "usage: plumbline diff-report BEFORE.json AFTER.json [options]\n"
        "\n"
        "Compares two saved analyses (plumbline analyze --out x.json), such as yesterday's and "
        "today's: how\n"
        "far each figure moved, with an interval; causes, stacks and pairs of backends that came "
        "or went;\n"
        "rules of a policy that pass no more. Pairs of backends are matched by their names.\n"
        "\n"
        "  --out FILE   saves it in the form that the name ends in: .json, .md or .txt; may be "
        "given several\n"
        "               times\n"
        "  --json       the document (docs/change.schema.json) instead of the summary\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline diff-report monday.json tuesday.json\n"
        "  plumbline diff-report before.json after.json --out change.md\n"
        "\n"
        "exit codes: 0 no change for the worse is shown, 1 one is, 2 command line, 3 a file can't "
        "be read,\n"
        "4 not enough data to compare\n";

struct diff_line {
	const char *before, *after;
	struct saving saving;
	bool json, help;
};

enum { OPTION_OUT = 256, OPTION_JSON };

static const struct option OPTIONS[] = {
        {"out", required_argument, NULL, OPTION_OUT},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *take_option(void *arg, int option, const char *value)
{
	struct diff_line *l = arg;
	switch (option) {
	case OPTION_OUT:
		return saving_take(&l->saving, value);
	case OPTION_JSON:
		l->json = true;
		return NULL;
	default:
		never("a flag of the table that nobody takes");
	}
}

static char *parse(int argc, char **argv, struct diff_line *ret)
{
	struct operands rest = {0};
	char *problem = options_read(argc, argv, OPTIONS, take_option, ret, &rest);
	ret->help = rest.help;
	if (problem || ret->help) {
		return problem;
	}
	if (rest.n != 2) {
		return xstrdup("two saved analyses are wanted: BEFORE.json AFTER.json");
	}
	ret->before = rest.words[0];
	ret->after = rest.words[1];
	return NULL;
}

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
	int saved = saving_write(&l->saving, "diff-report", change);
	form_write(l->json ? FORM_JSON : FORM_TEXT, change, stdout);
	int code = saved < 0 ? EXIT_RUNTIME : CODES[change_verdict_of(change)];
	json_decref(change);
	return code;
}

static int run(const struct diff_line *l)
{
	char *error = NULL;
	json_t *before = saved_load(l->before, &error);
	json_t *after = before ? saved_load(l->after, &error) : NULL;
	int code = after ? compare(l, before, after)
	                 : commands_fail("diff-report", EXIT_RUNTIME, error);
	json_decref(before);
	json_decref(after);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		return commands_fail(
		        "diff-report", EXIT_RUNTIME, xstrdup("the report can't be written"));
	}
	return code;
}

int command_diff_report(int argc, char **argv)
{
	struct diff_line l = {0};
	saving_init(&l.saving, argc);
	l.saving.of_change = true;
	char *problem = parse(argc, argv, &l);
	int code = EXIT_PASS;
	if (problem) {
		code = commands_fail("diff-report", EXIT_USAGE, problem);
	} else if (l.help) {
		fputs(USAGE, stdout);
	} else {
		code = run(&l);
	}
	saving_finish(&l.saving);
	return code;
}
