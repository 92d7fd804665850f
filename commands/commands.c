#include "commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/descriptors.h"

#define COMMANDS_LIMIT 32 /* of a list */

static const struct command COMMANDS[] = {
        {"proxy", "shadow an engine's traffic and record it", command_proxy},
        {"engine", "run the simulated engine", command_engine},
        {"replay", "send recorded requests to another engine, at a load of your choice",
                command_replay},
        {"compare", "send the same requests to two engines and compare their answers",
                command_compare},
        {"determinism", "send one engine the same prompts repeatedly and compare its answers",
                command_determinism},
        {"diff", "compare several backends that serve one model", command_diff},
        {"sweep", "compare several precisions of one model", command_sweep},
        {"stress", "find what an engine answers differently under load", command_stress},
        {"ablate", "find which switch causes a difference", command_ablate},
        {"analyze", "say where recorded answers differ, and how much", command_analyze},
        {"pairs", "write a row of figures for each pair of recorded answers", command_pairs},
        {"report", "write a saved analysis in another form, or check it by another policy",
                command_report},
        {"diff-report", "compare two saved analyses", command_diff_report},
        {"probe", "recognise an engine and find out what it really honours", command_probe},
        {"manifest", "print the stacks behind a capture as a reporting checklist",
                command_manifest},
        {"capture", "list, show, verify and export what was recorded", command_capture},
        {"import", "make a capture from the result files of other tools", command_import},
        {"repro", "write a script that sends one recorded request again", command_repro},
        {"judge", "have a model judge the answers whose meaning is undecided", command_judge},
        {"grade", "run the programs in answers against the tests of their tasks", command_grade},
        {"score", "have a backend score the tokens of another's answers", command_score},
        {0},
};

static void usage(FILE *to)
{
	fputs("plumbline shows where an inference engine's answers lean.\n"
	      "\n"
	      "usage: plumbline COMMAND [options]\n"
	      "\n",
	        to);
	for (const struct command *c = COMMANDS; c->name; c++) {
		fprintf(to, "  %-12s %s\n", c->name, c->summary);
	}
	fputs("\n"
	      "  plumbline COMMAND --help   options and examples of a command\n"
	      "  plumbline --version        versions of this program and its libraries\n"
	      "\n"
	      "Exit codes: 0 pass, 1 difference found or damage seen, 2 usage or configuration,\n"
	      "3 run-time error, 4 not enough data.\n",
	        to);
}

const char *commands_nearest(const struct command *list, const char *word)
{
	const char *names[COMMANDS_LIMIT + 1] = {NULL};
	for (size_t n = 0; list[n].name; n++) {
		expect(n < COMMANDS_LIMIT);
		names[n] = list[n].name;
	}
	return conf_nearest(word, names);
}

static int run(const struct command *c, int argc, char **argv)
{
	char *problem = descriptors_want(DESCRIPTORS_TO_BEGIN(0));
	return problem ? commands_fail(c->name, EXIT_RUNTIME, problem) : c->run(argc, argv);
}

int commands_run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	for (const struct command *c = COMMANDS; c->name; c++) {
		if (strcmp(c->name, word) == 0) {
			return run(c, argc - 1, argv + 1);
		}
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		puts("plumbline " PLUMBLINE_VERSION " (built with " PLUMBLINE_LIBRARIES ")");
		return EXIT_PASS;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
		usage(stdout);
		return EXIT_PASS;
	}
	if (*word) {
		const char *near = commands_nearest(COMMANDS, word);
		fprintf(stderr,
		        "plumbline: no command is called \"%.60s\"%s%s%s; plumbline --help lists "
		        "them\n",
		        word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	} else {
		usage(stderr);
	}
	return EXIT_USAGE;
}

int commands_fail(const char *command, int code, char *why)
{
	fprintf(stderr, "plumbline %s: %s\n", command, why);
	free(why);
	return code;
}

int commands_usage(const struct verb *v, char *why)
{
	char *more = xasprintf("%s; see plumbline %s --help", why, v->name);
	free(why);
	return commands_fail(v->name, EXIT_USAGE, more);
}

bool commands_read(
        const struct verb *v, int argc, char **argv, void *to, struct operands *ret, int *ret_code)
{
	char *problem = options_parse(v->options, argc, argv, to, ret);
	if (problem) {
		*ret_code = commands_usage(v, problem);
		return false;
	}
	if (ret->help) {
		options_help(v, stdout);
		*ret_code = EXIT_PASS;
		return false;
	}
	return true;
}
