#include "analyzer/compare/meaning/code_tests.h"

#include <criterion/criterion.h>

#include "base/mem.h"

static struct code_tests read_tests(const char *gold)
{
	struct code_tests t;
	const char *why = code_tests_read(span_of(gold), &t);
	cr_assert_null(why, "%s: %s", gold, why);
	return t;
}

static bool returns(const char *wanted, const char *given)
{
	struct code_test item = {xstrdup("1"), xstrdup(wanted)};
	char name[] = "f";
	const struct code_tests t = {.function = name, .items = &item, .n = 1};
	bool same = code_tests_match(&t, 0, given);
	free(item.input);
	free(item.output);
	return same;
}

static bool prints(const char *wanted, const char *given)
{
	struct code_test item = {xstrdup("1"), xstrdup(wanted)};
	const struct code_tests t = {.items = &item, .n = 1};
	bool same = code_tests_match(&t, 0, given);
	free(item.input);
	free(item.output);
	return same;
}

Test(code_tests, are_told_from_other_right_answers)
{
	cr_expect(code_tests_are(span_of("{\"tests\":[]}")));
	cr_expect(code_tests_are(span_of(" {\"function\":\"f\", \"tests\" : 3}")));
	cr_expect_not(code_tests_are(span_of("18")));
	cr_expect_not(code_tests_are(span_of("")));
	cr_expect_not(code_tests_are(span_of("the \"tests\" of time")));
	cr_expect_not(code_tests_are(span_of("{\"answer\":18}")));
}

Test(code_tests, of_a_function_and_of_a_program_are_read)
{
	struct code_tests t =
	        read_tests("{\"function\":\"f\",\"tests\":[{\"input\":\"1\\n2\",\"output\":\"3\","
	                   "\"testtype\":\"functional\"}]}");
	cr_expect_str_eq(t.function, "f");
	cr_expect_eq(t.n, 1);
	cr_expect_str_eq(t.items[0].input, "1\n2");
	cr_expect_str_eq(t.items[0].output, "3");
	code_tests_finish(&t);
	t = read_tests("{\"tests\":[{\"input\":\"\",\"output\":\"x\",\"testtype\":\"stdin\"}]}");
	cr_expect_null(t.function);
	code_tests_finish(&t);
}

Test(code_tests, that_cannot_be_run_are_refused)
{
	static const char *const bad[] = {
	        "{\"tests\":[]}",
	        "{\"tests\":3}",
	        "{\"tests\":[3]}",
	        "{\"tests\":[{\"input\":\"1\",\"output\":\"2\"}]}",
	        "{\"tests\":[{\"input\":\"1\",\"output\":\"2\",\"testtype\":\"magic\"}]}",
	        "{\"tests\":[{\"input\":\"1\",\"output\":\"2\",\"testtype\":\"functional\"}]}",
	        "{\"function\":\"f\",\"tests\":[{\"input\":\"1\",\"output\":\"2\",\"testtype\":"
	        "\"stdin\"}]}",
	        "{\"tests\":[",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct code_tests t;
		cr_expect_not_null(code_tests_read(span_of(bad[i]), &t), "%s", bad[i]);
		code_tests_finish(&t);
	}
}

Test(code_tests, compare_returned_values_as_values)
{
	cr_expect(returns("[1, 2]", "[1,2]"));
	cr_expect(returns("2", "2.0"));
	cr_expect(returns("0.3", "0.30000000000000004"));
	cr_expect(returns("{\"a\": 1, \"b\": [true]}", "{\"b\":[true],\"a\":1}"));
	cr_expect(returns("123456789012345678901234567890", "123456789012345678901234567890"));
	cr_expect(returns(
	        "[1, 123456789012345678901234567890]", "[1,123456789012345678901234567890]"));
	cr_expect(returns("0.0", "5e-17"));
	cr_expect(returns("\"x\"", "\"x\""));
	cr_expect_not(returns("1000000006", "1000000005"));
	cr_expect_not(returns("1000000006", "1000000005.0"));
	cr_expect_not(returns("123456789012345678901234567890", "123456789012345678901234567891"));
	cr_expect_not(returns("[\"a b\", 123456789012345678901234567890]",
	        "[\"ab\",123456789012345678901234567890]"));
	cr_expect_not(returns("2", "\"2\""));
	cr_expect_not(returns("[1, 2]", "[2,1]"));
	cr_expect_not(returns("[1]", "[1,1]"));
	cr_expect_not(returns("1", "true"));
	cr_expect_not(returns("{\"a\":1}", "{\"a\":1,\"b\":2}"));
	cr_expect_not(returns("0.3", "0.3001"));
	cr_expect_not(returns("null", ""));
}

Test(code_tests, compare_what_is_printed_by_lines_and_words)
{
	cr_expect(prints("1 2\n3\n", "1  2 \r\n3"));
	cr_expect(prints("0.5\n", "0.50\n\n"));
	cr_expect(prints("", "\n"));
	cr_expect(prints("2.0", "2"));
	cr_expect_not(prints("1000000006", "1000000005"));
	cr_expect_not(prints("1000000006", "1000000005.0"));
	cr_expect_not(prints("1000000000000000000", "1000000000999999999"));
	cr_expect_not(prints("16", "0x10"));
	cr_expect_not(prints("7", "07"));
	cr_expect_not(prints("1e", "1e0"));
	cr_expect_not(prints("1 2\n3\n", "1\n2 3\n"));
	cr_expect_not(prints("1 2", "1 2 3"));
	cr_expect_not(prints("1 2 3", "1 2"));
	cr_expect_not(prints("1\n2", "1"));
	cr_expect_not(prints("yes", "Yes"));
	cr_expect_not(prints("nan", "inf"));
}
