#pragma once
/*
 * code_tests - for a task that asks for a program, the right answer is given as a set of tests:
 *
 *	{"function": "f",
 *	 "tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}, ...]}
 *
 * "functional": each line of the input is an argument in JSON, and the output is the function's
 * result in JSON. "stdin": the program reads the input and prints the output. This is
 * LiveCodeBench's form.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/check.h"

#define CODE_TESTS_LIMIT 1000

struct code_test {
	char *input, *output;
};

struct code_tests {     /* zero-initialised is empty */
	char *function; /* NULL: all tests are for a whole program */
	struct code_test *items;
	size_t n;
};

/* Whether a right answer has the form of tests, valid or not. */
bool code_tests_are(struct span gold);
/* NULL, or the error; finish *ret in either case. */
const char *code_tests_read(struct span gold, struct code_tests *ret) MUST_CHECK;
void code_tests_finish(struct code_tests *t);
/* Whether the program's output is what the test expects. */
bool code_tests_match(const struct code_tests *t, size_t i, const char *given);
