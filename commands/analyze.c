/*
 * plumbline analyze - judge pairs of answers.
 */
#include "base/mem.h"
#include "commands/analyze_run.h"
#include "commands/commands.h"

int command_analyze(int argc, char **argv)
{
	struct analyze_options options;
	char *problem = analyze_options_parse(argc, argv, &options);
	int code = EXIT_PASS;
	if (problem) {
		code = commands_fail("analyze", EXIT_USAGE, problem);
	} else if (options.help) {
		analyze_options_usage();
	} else {
		code = analyze_run(&options, NULL);
	}
	analyze_options_finish(&options);
	return code;
}
