/*
 * plumbline analyze - judge pairs of answers.
 */
#include "cli/analyze_run.h"
#include "cli/commands.h"

int command_analyze(int argc, char **argv)
{
	struct analyze_options options;
	int code;
	if (analyze_options_read(argc, argv, &options, &code)) {
		code = analyze_run(&options, NULL);
	}
	analyze_options_finish(&options);
	return code;
}
