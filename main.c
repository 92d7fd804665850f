/*
 * plumbline - finds out when and why an LLM engine gives different answers. Chooses the command.
 */
#include <signal.h>
#include <stdio.h>

#include <sodium.h>

#include "base/exit_code.h"
#include "cli/commands.h"

int main(int argc, char **argv)
{
	if (sodium_init() < 0) {
		fputs("plumbline: the system gives no random numbers\n", stderr);
		return EXIT_RUNTIME;
	}
	/* A peer that leaves and a disk quota that is reached are errors of the call, not our end.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return commands_run(argc, argv);
}
