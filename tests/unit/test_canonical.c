#include "answers/canonical.h"

#include <criterion/criterion.h>
#include <string.h>

#include "answers/decimal.h"

static void assert_canonical(const char *json, const char *want)
{
	struct canonical c = {0};
	struct json j;
	json_init_lenient(&j, json, strlen(json));
	struct json_token t = json_next(&j);
	struct span got = canonical_value(&c, &j, &t);
	cr_assert(span_is(got, want), "%s became %.*s, not %s", json, (int)got.len, got.data, want);
	/* The canonical form of a canonical form is itself. */
	struct canonical again = {0};
	json_init_lenient(&j, got.data, got.len);
	t = json_next(&j);
	cr_assert(span_equal(canonical_value(&again, &j, &t), got), "%s", want);
	canonical_finish(&again);
	canonical_finish(&c);
}

Test(canonical, members_are_sorted_by_the_bytes_of_their_keys)
{
	assert_canonical("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}");
	assert_canonical("{\"a\":1,\"B\":2,\"ab\":3,\"\":4}", "{\"\":4,\"B\":2,\"a\":1,\"ab\":3}");
	assert_canonical("{\"é\":1,\"z\":2,\"\\ud83d\\ude00\":3,\"\\uffff\":4}",
	        "{\"z\":2,\"é\":1,\"\xef\xbf\xbf\":4,\"😀\":3}");
	/* Unescaped: a quotation mark (0x22) sorts before a letter, a line feed before a space. */
	assert_canonical("{\"a a\":1,\"a\\nz\":2,\"aa\":3,\"a\\\"\":4}",
	        "{\"a\\nz\":2,\"a a\":1,\"a\\\"\":4,\"aa\":3}");
}

Test(canonical, objects_within_objects_are_sorted_too)
{
	assert_canonical("{\"b\":{\"y\":{\"q\":1,\"p\":[{\"n\":1,\"m\":2},3]},\"x\":0},\"a\":{"
	                 "\"d\":1,\"c\":2}}",
	        "{\"a\":{\"c\":2,\"d\":1},\"b\":{\"x\":0,\"y\":{\"p\":[{\"m\":2,\"n\":1},3],\"q\":"
	        "1}}}");
	assert_canonical("{\"a\":{\"d\":1,\"c\":2},\"b\":[{\"f\":{},\"e\":[]}]}",
	        "{\"a\":{\"c\":2,\"d\":1},\"b\":[{\"e\":[],\"f\":{}}]}");
	assert_canonical(
	        "[[{\"b\":[{\"b\":1,\"a\":2}],\"a\":{\"b\":1,\"a\":2}}],{\"b\":1,\"a\":1}]",
	        "[[{\"a\":{\"a\":2,\"b\":1},\"b\":[{\"a\":2,\"b\":1}]}],{\"a\":1,\"b\":1}]");
}

Test(canonical, the_last_of_equal_keys_is_kept)
{
	assert_canonical("{\"a\":1,\"a\":2}", "{\"a\":2}");
	assert_canonical(
	        "{\"b\":1,\"\\u0061\":{\"y\":1,\"x\":2},\"b\":2,\"a\":{\"d\":3,\"c\":4},\"b\":3}",
	        "{\"a\":{\"c\":4,\"d\":3},\"b\":3}");
}

Test(canonical, strings_have_one_spelling)
{
	assert_canonical("\"\\u0041\\/\\u00e9\\u20ac\\ud83d\\ude00\"", "\"A/é€😀\"");
	assert_canonical(
	        "\"\\u0022\\u005c\\u0008\\u0009\\u000A\\u000c\\u000d\\u001F\\u0000\\u007f\"",
	        "\"\\\"\\\\\\b\\t\\n\\f\\r\\u001f\\u0000\x7f\"");
	assert_canonical("\"\\ud83d \\ude00 \\ud83d\\u0041\"",
	        "\"\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd"
	        "A\"");
}

Test(canonical, numbers_have_one_spelling)
{
	static const char *const spellings[][2] = {
	        {"1", "1"},
	        {"1.0", "1"},
	        {"1e0", "1"},
	        {"10E-1", "1"},
	        {"0.01e+2", "1"},
	        {"-0", "0"},
	        {"0.000", "0"},
	        {"0e99", "0"},
	        {"100", "100"},
	        {"1e2", "100"},
	        {"-12.50", "-125e-1"},
	        {"0.5", "5e-1"},
	        {"5e-1", "5e-1"},
	        {"123456789012345678901", "123456789012345678901"},
	        {"1234567890123456789012", "1234567890123456789012e0"},
	        {"1e20", "100000000000000000000"},
	        {"1e21", "1e21"},
	        {"1000000000000000000000", "1e21"},
	        {"0.1", "1e-1"},
	        {"0.10000000000000001", "10000000000000001e-17"},
	        {"1e999999999999999999999", "1e999999999"},
	        {"1e-99999999999999999999", "1e-999999999"},
	        {"NaN", "NaN"},
	        {"-Infinity", "-Infinity"},
	};
	for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
		struct buf b = {0};
		decimal_normalise(&b, span_of(spellings[i][0]));
		cr_assert_str_eq(buf_cstr(&b), spellings[i][1], "%s", spellings[i][0]);
		buf_finish(&b);
	}
}

Test(canonical, what_is_malformed_gives_nothing)
{
	static const char *const bad[] = {
	        "", "{", "[1,", "{\"a\":1", "{\"a\" 1}", "[1}", "\"x", "tru"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct canonical c = {0};
		struct json j;
		json_init(&j, bad[i], strlen(bad[i]));
		struct json_token t = json_next(&j);
		cr_assert_eq(canonical_value(&c, &j, &t).len, 0, "%s", bad[i]);
		canonical_finish(&c);
	}
}

static void assert_found(const char *json, const char *want)
{
	struct canonical c = {.watched = SPAN("role")};
	struct json j;
	json_init_lenient(&j, json, strlen(json));
	struct json_token t = json_next(&j);
	cr_assert_gt(canonical_value(&c, &j, &t).len, 0);
	cr_assert(span_is(c.found, want), "%s: %.*s", json, (int)c.found.len, c.found.data);
	canonical_finish(&c);
}

Test(canonical, the_watched_member_is_the_outermost_objects_own)
{
	assert_found("{\"a\":{\"role\":\"inner\"},\"role\":\"x\",\"b\":[{\"role\":1}]}", "\"x\"");
	assert_found("{\"role\":\"first\",\"\\u0072ole\":\"last\",\"z\":1}", "\"last\"");
	assert_found("{\"role\":\"first\",\"role\":{\"a\":1}}", "");
	assert_found("{\"roles\":1,\"rol\":2,\"\":3}", "");
	assert_found("[{\"role\":\"x\"}]", "");
	assert_found("\"role\"", "");
}
