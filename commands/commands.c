#include "commands/commands.h"

#include <stdio.h>
#include <string.h>

static const struct command COMMANDS[] = {
	{0},
};

static void usage(FILE *to)
{
	fputs("plumbline " PLUMBLINE_VERSION ": shadows an inference engine's traffic and shows where its answers lean\n"
	      "\n"
	      "usage: plumbline COMMAND [options]\n"
	      "\n",
		to);
	for (const struct command *c = COMMANDS; c->name; c++) {
		fprintf(to, "  %-10s %s\n", c->name, c->summary);
	}
}

int commands_run(int argc, char **argv)
{
	for (const struct command *c = COMMANDS; argc > 1 && c->name; c++) {
		if (strcmp(c->name, argv[1]) == 0) {
			return c->run(argc - 1, argv + 1);
		}
	}
	usage(argc > 1 ? stderr : stdout);
	return argc > 1 ? EXIT_USAGE : EXIT_PASS;
}
