#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/did_you_mean.h"
#include "cli/verb.h"

static const struct command COMMANDS[] = {
        {"proxy", "record an engine's traffic, and copy it to other engines", command_proxy,
                .group = "record"},
        {"import", "make a capture from the result files of other tools", command_import},
        {"engine", "run the simulated engine", command_engine},
        {"analyze", "compare recorded answers: SAME, DIFFERENT or UNCLEAR", command_analyze,
                .group = "compare"},
        {"compare", "send the same requests to two engines and compare their answers",
                command_compare},
        {"diff", "compare several backends that serve one model", command_diff},
        {"sweep", "compare several precisions of one model", command_sweep},
        {"determinism", "measure how often one engine answers one prompt differently",
                command_determinism},
        {"stress", "find answers of an engine that change under load", command_stress},
        {"ablate", "find which setting causes a difference", command_ablate},
        {"baseline", "accept differences, so that a gate fails on new ones only", command_baseline,
                .verb = "accept"},
        {"report", "show a saved analysis in another form, or check its policy", command_report},
        {"diff-report", "compare two saved analyses", command_diff_report},
        {"replay", "send recorded requests to another engine, at any load", command_replay,
                .group = "replay"},
        {"repro", "write a script that sends one recorded request again", command_repro},
        {"score", "get a backend's probabilities for the tokens of answers", command_score},
        {"judge", "have a model judge the answers whose meaning is undecided", command_judge},
        {"grade", "run the programs in answers against the tests of their tasks", command_grade},
        {"capture", "list, show, verify and export what was recorded", command_capture,
                .group = "inspect"},
        {"runs", "list captures of compare, diff, … and replay, with verdicts", command_runs},
        {"pairs", "write a row of figures for each pair of recorded answers", command_pairs},
        {"suites", "list the suites of tasks that come with plumbline", command_suites},
        {"probe", "recognise an engine and find out what it really supports", command_probe},
        {"manifest", "print engine, model and hardware behind a capture, as a checklist",
                command_manifest},
        {0},
};

static void usage(FILE *to)
{
	fputs("plumbline finds out when and why an LLM engine gives different answers.\n"
	      "\n"
	      "usage: plumbline COMMAND [options]\n",
	        to);
	for (const struct command *c = COMMANDS; c->name; c++) {
		if (c->group) {
			fprintf(to, "\n%s:\n", c->group);
		}
		fprintf(to, "  %-12s %s\n", c->name, c->summary);
	}
	fputs("\n  plumbline help COMMAND     options and examples of a command\n  plumbline "
	      "version          versions of this program and its libraries\n\nExit codes: 0 pass, "
	      "1 difference or damage found, 2 usage or configuration,\n3 run-time error, 4 not "
	      "enough data.\n",
	        to);
}

static int run(const struct command *c, int argc, char **argv)
{
	char *problem = descriptors_require(DESCRIPTORS_TO_BEGIN(0));
	return problem ? verb_fail(c->name, EXIT_RUNTIME, problem) : c->run(argc, argv);
}

static const struct command *command_of(const char *word)
{
	for (const struct command *c = COMMANDS; c->name; c++) {
		if (strcmp(c->name, word) == 0) {
			return c;
		}
	}
	return NULL;
}

static int unknown(const char *word)
{
	const char *near = command_nearest(COMMANDS, word);
	fprintf(stderr, "plumbline: no command is called \"%.60s\"%s\n", word,
	        near ? did_you_mean("", near).text : "; plumbline --help lists them");
	return EXIT_USAGE;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* plumbline help COMMAND [VERB] is plumbline COMMAND [VERB] --help. */
static int help(int argc, char **argv)
{
	if (argc < 3) {
		usage(stdout);
		return EXIT_PASS;
	}
	const struct command *c = command_of(argv[2]);
	if (!c) {
		return unknown(argv[2]);
	}
	if (argc > 4) {
		return verb_fail(
		        "help", EXIT_USAGE, xasprintf("unexpected argument \"%.60s\"", argv[4]));
	}
	/* capture itself refuses a verb that it does not have */
	bool takes_any = c->run == command_capture;
	if (argc == 4 && !takes_any && (!c->verb || strcmp(c->verb, argv[3]) != 0)) {
		return verb_fail("help", EXIT_USAGE,
		        xasprintf("%s has no verb \"%.60s\"%s", c->name, argv[3],
		                did_you_mean("", c->verb).text));
	}
	char *words[] = {argv[2], argc > 3 ? argv[3] : "--help", "--help", NULL};
	return run(c, argc > 3 ? 3 : 2, words);
}

int commands_run(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	const char *word = argv[1];
	const struct command *c = command_of(word);
	if (c) {
		return run(c, argc - 1, argv + 1);
	}
	if (is_one_of(word, "version", "--version", "-V")) {
		puts("plumbline " PLUMBLINE_VERSION " (built with " PLUMBLINE_LIBRARIES ")");
		return EXIT_PASS;
	}
	return is_one_of(word, "help", "--help", "-h") ? help(argc, argv) : unknown(word);
}
