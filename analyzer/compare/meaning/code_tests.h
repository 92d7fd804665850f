#pragma once
/*
 * code_tests - the tests of a task that asks for a program. They are the task's right answer, in
 * LiveCodeBench's form:
 *
 *	{"function": "f",
 *	 "tests": [{"input": "1\n2", "output": "3", "testtype": "functional"}, ...]}
 *
 *	with "function"     all tests are "functional": each line of the input is an argument in
 *	                    JSON, and the output is the function's result in JSON
 *	without "function"  all tests are "stdin": the program reads the input and prints the
 *	                    output
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/check.h"

#define CODE_TESTS_LIMIT 1000

struct code_test {
	char *input, *output;
};

struct code_tests {     /* zero-initialised: empty */
	char *function; /* NULL: all tests are for a whole program */
	struct code_test *items;
	size_t n;
};

/* True if the right answer begins with "{" and contains "tests". The tests may be invalid. */
bool code_tests_are(struct span gold);
/* Returns NULL, or what is wrong; more than CODE_TESTS_LIMIT tests are an error, too. Call
 * code_tests_finish() in both cases. */
const char *code_tests_read(struct span gold, struct code_tests *ret) MUST_CHECK;
void code_tests_finish(struct code_tests *t);
/* True if the output `given` is right for test i. With a function, `given` is the function's result
 * and is compared as JSON. Else `given` is what the program printed, and is compared line by line
 * and word by word, without blank lines. Two numbers that both have a point or an exponent may
 * differ by 1e-12 of the larger one, or by 1e-12 if both are below 1. */
bool code_tests_match(const struct code_tests *t, size_t i, const char *given);
