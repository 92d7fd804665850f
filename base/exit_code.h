#pragma once
/*
 * exit_code - what the process says with its exit code (docs/operations.md).
 */
enum exit_code {
	EXIT_PASS = 0,
	EXIT_DIFFERENCE = 1, /* DIFFERENT, a fault was found, or a policy failed */
	EXIT_USAGE = 2,      /* command line or configuration */
	EXIT_RUNTIME = 3,
	EXIT_NOT_ENOUGH = 4, /* UNCLEAR: not enough data for an answer */
};
