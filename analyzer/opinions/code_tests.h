#pragma once
/*
 * code_tests - tests as the right answer to a task that asks for a program:
 * {"function": "f", "tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}, ...]}.
 *
 * "functional": each line of the input is an argument in JSON, the output what the function returns, in JSON. "stdin": a
 * program reads the input and prints the output. LiveCodeBench writes its tests so.
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
	char *function; /* NULL: all tests are of a whole program */
	struct code_test *items;
	size_t n;
};

/* Whether a right answer is of this kind, be it well written or not. */
bool code_tests_are(struct span gold);
/* NULL, or what is wrong with them; *ret is to be finished either way. */
const char *code_tests_read(struct span gold, struct code_tests *ret) MUST_CHECK;
void code_tests_finish(struct code_tests *t);
/* Whether what a program gave is what a test wants. */
bool code_tests_match(const struct code_tests *t, size_t i, const char *given);
