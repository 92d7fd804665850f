#include <stdio.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "cli/capture/capture_commands.h"
#include "cli/commands.h"
#include "cli/verb.h"

static const struct command VERBS[] = {
        {"ls", "list the exchanges of a capture", command_capture_ls},
        {"show", "show one exchange: its answers and where they differ", command_capture_show},
        {"verify", "check every record; recover the intact records of a damaged capture",
                command_capture_verify},
        {"export", "write a capture in the format of another tool", command_capture_export},
        {"prune", "delete the oldest segments, by age or size", command_capture_prune},
        {"scrub", "copy a capture without its texts", command_capture_scrub},
        {"merge", "join captures into one directory", command_capture_merge},
        {"compact", "write a capture again, in fewer and smaller segments",
                command_capture_compact},
        {"reread", "parse answers again that are unread or that an older version parsed",
                command_capture_reread},
        {0},
};

static void usage(FILE *to)
{
	fputs("usage: plumbline capture VERB DIR... [options]\n\nLists, shows, checks, exports and "
	      "rewrites recorded exchanges.\n\nverbs:\n",
	        to);
	for (const struct command *v = VERBS; v->name; v++) {
		fprintf(to, "  %-8s %s\n", v->name, v->summary);
	}
	fputs("\n"
	      "  plumbline help capture VERB    options and examples of a verb\n"
	      "\n"
	      "A capture is a directory that plumbline proxy, a replay or a recipe such as\n"
	      "plumbline compare wrote. ls, show, verify and export can read it while it is\n"
	      "written.\n"
	      "\n"
	      "examples:\n"
	      "  plumbline capture ls capture\n"
	      "  plumbline capture show capture last\n"
	      "\n"
	      "exit codes: 0 done, 1 damage found, 2 command line or not a capture, 3 something\n"
	      "could not be read or written, 4 there is no exchange\n",
	        to);
}

int command_capture(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		usage(stdout);
		return EXIT_PASS;
	}
	for (const struct command *v = VERBS; v->name; v++) {
		if (strcmp(v->name, argv[1]) == 0) {
			return v->run(argc - 1, argv + 1);
		}
	}
	const char *near = command_nearest(VERBS, argv[1]);
	fprintf(stderr, "plumbline capture: there is no verb %.60s%s", argv[1],
	        near ? did_you_mean("", near).text : "; the verbs are");
	for (const struct command *v = VERBS; v->name && !near; v++) {
		fprintf(stderr, "%s %s", v == VERBS ? "" : ",", v->name);
	}
	fputc('\n', stderr);
	return EXIT_USAGE;
}
