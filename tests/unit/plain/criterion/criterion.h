#pragma once
/*
 * criterion - replaces Criterion in builds under a sanitizer, with the part of its interface that
 * the tests use. Criterion does not start under TSan, because it maps memory where TSan keeps its
 * shadow; and it starts the program anew for each test, which takes longer under ASan than most
 * tests do. Here each test runs in a forked process, and the last line of output has Criterion's
 * form. cr_expect...() are cr_assert...(): the first failure ends the test.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct plain_test {
	const char *suite;
	const char *name;
	void (*run)(void);
	struct plain_test *next;
};

struct plain_suite {
	const char *name;
	void (*init)(void); /* both or either may be NULL */
	void (*fini)(void);
	struct plain_suite *next;
};

static struct plain_test *plain_tests;
static struct plain_suite *plain_suites;

#define TestSuite(suite, ...)                                                                      \
	static struct plain_suite plain_suite_##suite = {.name = #suite, __VA_ARGS__};             \
	__attribute__((constructor)) static void enlist_suite_##suite(void)                        \
	{                                                                                          \
		plain_suite_##suite.next = plain_suites;                                           \
		plain_suites = &plain_suite_##suite;                                               \
	}                                                                                          \
	static struct plain_suite plain_suite_##suite

/* Ignores options such as .timeout; meson has its own limit. */
#define Test(suite, test, ...)                                                                     \
	static void run_##suite##_##test(void);                                                    \
	static struct plain_test plain_##suite##_##test = {                                        \
	        #suite, #test, run_##suite##_##test, NULL};                                        \
	__attribute__((constructor)) static void enlist_##suite##_##test(void)                     \
	{                                                                                          \
		plain_##suite##_##test.next = plain_tests;                                         \
		plain_tests = &plain_##suite##_##test;                                             \
	}                                                                                          \
	static void run_##suite##_##test(void)

__attribute__((noreturn, format(printf, 4, 5))) static inline void plain_fail(
        const char *file, int line, const char *what, const char *text, ...)
{
	va_list args;
	va_start(args, text);
	fprintf(stderr, "%s:%d: %s ", file, line, what);
	vfprintf(stderr, text, args);
	fputc('\n', stderr);
	va_end(args);
	_exit(1);
}

#define PLAIN_HOLDS(holds, what, ...)                                                              \
	((holds) ? (void)0 : plain_fail(__FILE__, __LINE__, what, " " __VA_ARGS__))

#define cr_assert(c, ...) PLAIN_HOLDS(c, #c, __VA_ARGS__)
#define cr_assert_not(c, ...) PLAIN_HOLDS(!(c), "not " #c, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) PLAIN_HOLDS((a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) PLAIN_HOLDS((a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) PLAIN_HOLDS((a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) PLAIN_HOLDS((a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) PLAIN_HOLDS((a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) PLAIN_HOLDS((a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_null(a, ...) PLAIN_HOLDS((a) == NULL, #a " is NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...) PLAIN_HOLDS((a) != NULL, #a " is not NULL", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) PLAIN_HOLDS(strcmp((a), (b)) == 0, #a " is " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
	PLAIN_HOLDS(strcmp((a), (b)) != 0, #a " is not " #b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) PLAIN_HOLDS(!*(a), #a " is empty", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
	PLAIN_HOLDS(memcmp((a), (b), (n)) == 0, #a " is " #b, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, n, ...)                                                            \
	PLAIN_HOLDS(memcmp((a), (b), (n)) != 0, #a " is not " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                           \
	PLAIN_HOLDS((a) - (b) <= (e) && (b) - (a) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_assert_fail(...) PLAIN_HOLDS(0, "reached", __VA_ARGS__)
#define cr_expect cr_assert
#define cr_expect_not cr_assert_not
#define cr_expect_eq cr_assert_eq
#define cr_expect_neq cr_assert_neq
#define cr_expect_lt cr_assert_lt
#define cr_expect_leq cr_assert_leq
#define cr_expect_gt cr_assert_gt
#define cr_expect_geq cr_assert_geq
#define cr_expect_null cr_assert_null
#define cr_expect_not_null cr_assert_not_null
#define cr_expect_str_eq cr_assert_str_eq
#define cr_expect_str_neq cr_assert_str_neq
#define cr_expect_arr_eq cr_assert_arr_eq
#define cr_expect_arr_neq cr_assert_arr_neq
#define cr_expect_float_eq cr_assert_float_eq
#define cr_skip_test(...) _exit(0)

static const struct plain_suite *plain_suite_of(const struct plain_test *t)
{
	static const struct plain_suite none;
	for (const struct plain_suite *s = plain_suites; s; s = s->next) {
		if (strcmp(s->name, t->suite) == 0) {
			return s;
		}
	}
	return &none;
}

static bool plain_done;

/* A test fails if what it tests ends the process. */
static void plain_check_done(void)
{
	if (!plain_done) {
		_exit(1);
	}
}

/* Runs a test in the forked process, which ends here. */
__attribute__((noreturn)) static void plain_run(const struct plain_test *t)
{
	const struct plain_suite *s = plain_suite_of(t);
	atexit(plain_check_done);
	if (s->init) {
		s->init();
	}
	t->run();
	if (s->fini) {
		s->fini();
	}
	plain_done = true;
	exit(0);
}

int main(void)
{
	unsigned tested = 0, failing = 0;
	for (struct plain_test *t = plain_tests; t; t = t->next) {
		fflush(NULL);
		pid_t child = fork();
		if (child == 0) {
			plain_run(t);
		}
		int status = -1;
		waitpid(child, &status, 0);
		tested++;
		if (status != 0) {
			failing++;
			fprintf(stderr, "[FAIL] %s::%s: status %d\n", t->suite, t->name, status);
		}
	}
	printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: 0\n", tested,
	        tested - failing, failing);
	return failing != 0;
}
