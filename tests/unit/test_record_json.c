#include "capture/record_json.h"

#include <criterion/criterion.h>
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

Test(record_json, what_is_absent_is_null)
{
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	json_writer_open(&w, NULL, '{');
	record_json_text(&w, "a", NULL);
	record_json_integer(&w, "b", -1, -1);
	record_json_integer(&w, "c", 0, -1);
	record_json_time(&w, "d", UINT64_MAX);
	record_json_time(&w, "e", 0);
	record_json_id(&w, "h", (struct id){{0}});
	record_json_hash(&w, "i", (uint8_t[REQUEST_HASH_SIZE]){0});
	json_writer_close(&w, "}");
	json_t *got = json_loads(buf_cstr(&b), 0, NULL);
	cr_assert_not_null(got, "%s", b.data);
	static const char *const null[] = {"a", "b", "d", "h", "i"};
	for (size_t i = 0; i < ARRAY_LEN(null); i++) {
		cr_expect(json_is_null(json_object_get(got, null[i])), "%s", null[i]);
	}
	cr_expect_eq(json_integer_value(json_object_get(got, "c")), 0);
	cr_expect(json_is_integer(json_object_get(got, "e")));
	json_decref(got);
	buf_finish(&b);
}

Test(record_json, bytes_are_text_or_said_to_be_none)
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
		record_json_bytes(&(struct json_writer){.to = &b}, NULL, span_of(cases[i].bytes));
		expect_text(&b, cases[i].json);
	}
}

Test(record_json, bits_without_a_name_are_not_lost)
{
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	json_writer_open(&w, NULL, '{');
	record_json_marks(&w, "none", 0, bit_name);
	record_json_marks(&w, "marks", 1U | 1U << 1 | 1U << 2 | 1U << 31, bit_name);
	json_writer_close(&w, "}");
	expect_text(&b, "{\"none\":[],\"marks\":[\"first\",\"bit_1\",\"third\",\"bit_31\"]}");
}
