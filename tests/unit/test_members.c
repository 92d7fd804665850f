#include "capture/formats/member_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

static void expect_text(struct buf *b, const char *want)
{
	cr_expect_str_eq(buf_cstr(b), want);
	buf_finish(b);
}

static const char *bit_name(unsigned bit)
{
	return bit == 0 ? "first" : bit == 2 ? "third" : NULL;
}

Test(members, are_kept_apart_by_commas)
{
	struct buf b = {0};
	buf_append_char(&b, '{');
	member_u64(&b, "a", UINT64_MAX);
	member_bool(&b, "b", true);
	member_key(&b, "c");
	buf_append_char(&b, '{');
	member_i64(&b, "d", INT64_MIN, -1);
	member_key(&b, "e");
	buf_append_char(&b, '[');
	buf_append_str(&b, "{");
	member_text(&b, "f", "x");
	buf_append_str(&b, "}]}");
	member_bool(&b, "g", false);
	buf_append_char(&b, '}');
	expect_text(&b, "{\"a\":18446744073709551615,\"b\":true,\"c\":{\"d\":-9223372036854775808,"
	                "\"e\":[{\"f\":\"x\"}]},\"g\":false}");
}

Test(members, what_is_absent_is_null)
{
	struct buf b = {0};
	buf_append_char(&b, '{');
	member_text(&b, "a", NULL);
	member_i64(&b, "b", -1, -1);
	member_i64(&b, "c", 0, -1);
	member_time(&b, "d", UINT64_MAX);
	member_time(&b, "e", 0);
	member_number(&b, "f", NAN);
	member_number(&b, "g", 0.1);
	member_id(&b, "h", (struct id){{0}});
	member_hash(&b, "i", (uint8_t[REQUEST_HASH_SIZE]){0});
	buf_append_char(&b, '}');
	json_t *got = json_loads(buf_cstr(&b), 0, NULL);
	cr_assert_not_null(got, "%s", b.data);
	static const char *const null[] = {"a", "b", "d", "f"};
	for (size_t i = 0; i < ARRAY_LEN(null); i++) {
		cr_expect(json_is_null(json_object_get(got, null[i])), "%s", null[i]);
	}
	cr_expect_eq(json_integer_value(json_object_get(got, "c")), 0);
	cr_expect(json_is_integer(json_object_get(got, "e")));
	cr_expect_eq(json_real_value(json_object_get(got, "g")), 0.1);
	json_decref(got);
	buf_finish(&b);
}

Test(members, bytes_are_text_or_said_to_be_none)
{
	static const struct {
		const char *bytes;
		const char *json;
	} cases[] = {
	        {"", "\"\""},
	        {"\"\\\n\x01", "\"\\\"\\\\\\n\\u0001\""},
	        {"\xc3\xa9\xf0\x9f\x98\x80", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
	        {"\xff", "{\"base64\":\"/w==\"}"},
	        {"a\xc3", "{\"base64\":\"YcM=\"}"},
	        {"\xf0\x9f\x98", "{\"base64\":\"8J+Y\"}"},
	        {"\xed\xa0\x80z", "{\"base64\":\"7aCAeg==\"}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = {0};
		member_bytes(&b, span_of(cases[i].bytes));
		expect_text(&b, cases[i].json);
	}
}

Test(members, bits_without_a_name_are_not_lost)
{
	struct buf b = {0};
	buf_append_char(&b, '{');
	member_marks(&b, "none", 0, bit_name);
	member_marks(&b, "marks", 1U | 1U << 1 | 1U << 2 | 1U << 31, bit_name);
	buf_append_char(&b, '}');
	expect_text(&b, "{\"none\":[],\"marks\":[\"first\",\"bit_1\",\"third\",\"bit_31\"]}");
}
