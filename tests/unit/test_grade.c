#include "analyzer/opinions/grade.h"

#include <criterion/criterion.h>

#include "base/mem.h"

/* On a busy machine a short program may take seconds. */
static struct grade_limits limits = {.test_ms = 30000, .memory = UINT64_C(1) << 30};

static bool can_run(void)
{
	const struct sandbox s = {.memory = limits.memory, .output_limit = 4096};
	char *why = sandbox_check(&s);
	bool can = !why;
	free(why);
	return can;
}

/* Returns the name of the grade of the test f(1, 2) == 3. */
static const char *graded(const char *code, struct grade *ret)
{
	struct code_test item = {xstrdup("1\n2"), xstrdup("3")};
	char name[] = "f";
	const struct code_tests t = {.function = name, .items = &item, .n = 1};
	grade_run(&limits, span_of(code), &t, ret);
	free(item.input);
	free(item.output);
	return grade_name(ret->verdict);
}

static void is_graded(const char *code, const char *name, const char *says)
{
	struct grade g;
	cr_expect_str_eq(graded(code, &g), name, "%s: %s", code, g.why ? g.why : "passed");
	cr_expect(says ? g.why && strstr(g.why, says) : !g.why, "%s: %s", code, g.why);
	grade_finish(&g);
}

Test(grade, is_right_where_every_test_passes_and_says_else_why_not)
{
	if (!can_run()) {
		cr_skip_test("bubblewrap can't make its namespaces here");
	}
	is_graded("def f(a, b): return a + b", "right", NULL);
	is_graded("class Solution:\n    def f(self, a, b): return a + b", "right", NULL);
	is_graded("def f(a, b): return a - b", "wrong", "the program gave -1 where 3 is right");
	is_graded("def g(a, b): return 3", "wrong", "there is no function f");
	is_graded("def f(a, b:", "wrong", "SyntaxError");
	is_graded("def f(a, b): raise ValueError('no')", "wrong", "ValueError: no");
	is_graded("def f(a, b): return {3}", "wrong", "not JSON serializable");
	is_graded("import os\ndef f(a, b): os.kill(os.getpid(), 9)", "wrong", "it was killed");
	is_graded("import os\ndef f(a, b): os.kill(os.getppid(), 9)", "wrong", "test 1");
	is_graded("def f(a, b): return 'x' * (1 << 22)", "wrong", "without end");
	is_graded("  \n", "wrong", "no program");
	limits.test_ms = 2000;
	is_graded("def f(a, b):\n    while True: pass", "wrong", "in time");
}

Test(grade, that_was_stopped_is_undecided)
{
	const atomic_bool stopped = true;
	const struct grade_limits until = {.test_ms = 1000, .memory = 1 << 30, .stopped = &stopped};
	struct code_test item = {xstrdup(""), xstrdup("")};
	const struct code_tests t = {.items = &item, .n = 1};
	struct grade g;
	grade_run(&until, span_of("import time; time.sleep(100)"), &t, &g);
	cr_expect_eq(g.verdict, GRADE_UNDECIDED);
	grade_finish(&g);
	free(item.input);
	free(item.output);
}

Test(grade, is_read_back_from_the_words_in_which_it_is_told)
{
	static const enum grade_verdict all[] = {GRADE_RIGHT, GRADE_WRONG, GRADE_UNDECIDED};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		/* What it failed with may look like a grade. */
		struct grade g = {
		        all[i], 1, 2, xstrdup("it gave\n{\"grade\":\"right\",\"version\":1}")};
		struct buf words = {0};
		enum grade_verdict read = N_GRADES;
		grade_put(&g, &words);
		cr_assert(grade_read(buf_span(&words), &read));
		cr_expect_eq(read, all[i]);
		buf_finish(&words);
		grade_finish(&g);
	}
}

Test(grade, of_another_version_or_in_other_words_is_none)
{
	static const char *const none[] = {"", "right", "{\"grade\":\"right\"}",
	        "{\"grade\":\"right\",\"version\":0}", "{\"grade\":\"best\",\"version\":1}",
	        "{\"grade\":\"right\",\"version\":1}\nand more"};
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		enum grade_verdict read;
		cr_expect_not(grade_read(span_of(none[i]), &read), "%s", none[i]);
	}
}
