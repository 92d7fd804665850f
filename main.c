/*
 * plumbline - shows where an inference engine's answers lean. Chooses the command.
 */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

int main(int argc, char **argv)
{
	return commands_run(argc, argv);
}
