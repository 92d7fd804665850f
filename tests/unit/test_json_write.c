#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_write.h"
#include "rounds.h"
#include "tests/unit/seeded.h"

static void take(void *arg, const char *bytes, size_t n)
{
	buf_append(arg, bytes, n);
}

static void expect_like_jansson(const json_t *value, unsigned indent)
{
	size_t flags = indent ? JSON_INDENT(indent) : JSON_COMPACT;
	char *theirs = json_dumps(value, flags | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
	struct buf ours = {0};
	json_write(value, indent, take, &ours);
	cr_assert_str_eq(buf_cstr(&ours), theirs);
	buf_finish(&ours);
	free(theirs);
}

static void expect_real_like_jansson(double real)
{
	json_t *value = json_real(real);
	expect_like_jansson(value, 0);
	json_decref(value);
	value = json_real(-real);
	expect_like_jansson(value, 0);
	json_decref(value);
}

Test(json_write, reals_have_the_digits_that_printf_gives_them)
{
	static const double CASES[] = {0, 1, 0.1, 0.5, 10, 100, 1e13, 1e14, 1e15, 1e16,
	        99999999999999.9, 999999999999999.9, 9999999999999995.0, 99999999999999.95, 1e-4,
	        0.00099999999999999999, 9.9999999999999995e-5, 1e-5, 1e-300, 5e-324,
	        1.7976931348623157e308, 1e100, 1e22, 123456789, 0.25, 2.5, 1234567.5,
	        0.30000000000000004, 0.1234567890123455, 0.1234567890123465,
	        1.00000000000000049960036108132, 4503599627370495.5, 70368744177663.9921875,
	        7036874417766.39921875};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		expect_real_like_jansson(CASES[i]);
		expect_real_like_jansson(nextafter(CASES[i], 0));
		expect_real_like_jansson(nextafter(CASES[i], 1e300));
	}
	for (int power = -8; power < 20; power++) {
		for (int i = 0; i < ROUNDS(2000); i++) {
			double real = (double)below((size_t)1 << 53) * pow(10, power - 16);
			expect_real_like_jansson(real);
			expect_real_like_jansson(round(real * 1e4) / 1e4);
			expect_real_like_jansson((double)(float)real);
			/* What lies exactly between two numbers of 15 digits goes to the even one. */
			expect_real_like_jansson(ldexp(floor(ldexp(real, 6)) + 0.5, -6));
		}
	}
}

Test(json_write, documents_are_written_as_jansson_writes_them)
{
	static const char *const CASES[] = {"{}", "[]", "null", "true", "[[],{},[[]],{\"a\":{}}]",
	        "{\"b\":[1,-2,3.5,false,null],\"a\":{\"x\":\"y\",\"\":\"\"},\"c\":"
	        "9223372036854775807}",
	        "\"a\\\"\\\\\\n\\r\\t\\b\\f/\\u0007\\u007f \\u20ac \\ud83d\\ude00 <&>\"",
	        "{\"with \\\"quotes\\\"\\n\":\"and a zero \\u0000 inside\"}"};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		json_t *value = json_loads(CASES[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		cr_assert(value);
		expect_like_jansson(value, 0);
		expect_like_jansson(value, 2);
		json_decref(value);
	}
}

Test(json_write, a_long_document_comes_in_pieces_and_whole)
{
	json_t *list = json_array();
	for (int i = 0; i < ROUNDS(50000); i++) {
		json_array_append_new(list, json_pack("{s:i,s:s}", "number", i, "text", "of each"));
	}
	expect_like_jansson(list, 0);
	expect_like_jansson(list, 2);
	json_decref(list);
}
