#pragma once
/*
 * exit_code - the exit codes of the process (docs/operations.md).
 */
enum exit_code {
	EXIT_PASS = 0,
	EXIT_DIFFERENCE = 1, /* DIFFERENT, a fault was found, or a policy failed */
	EXIT_USAGE = 2,      /* the command line or the configuration is wrong */
	EXIT_RUNTIME = 3,    /* a file, an engine or the machine failed */
	EXIT_NOT_ENOUGH = 4, /* UNCLEAR: not enough data for an answer */
};
