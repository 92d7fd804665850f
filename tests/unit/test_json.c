#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "tests/unit/seeded.h"

/* Returns the document as tokens: "{k:s}" and so on, "!" for an error. */
static const char *shape(const char *text, bool lenient)
{
	static const char letters[] = "!.{}[]ksntfz";
	static char out[256];
	struct json j;
	size_t n = 0;
	if (lenient) {
		json_init_lenient(&j, text, strlen(text));
	} else {
		json_init(&j, text, strlen(text));
	}
	struct json_token t;
	do {
		t = json_next(&j);
		cr_assert_lt(n, sizeof(out) - 1);
		out[n++] = letters[t.type];
	} while (t.type != JSON_TOKEN_ERROR && t.type != JSON_TOKEN_END);
	out[n] = '\0';
	return out;
}

Test(json, gives_tokens_in_order)
{
	cr_expect_str_eq(shape("{}", false), "{}.");
	cr_expect_str_eq(shape(" [ ] \r\n\t", false), "[].");
	cr_expect_str_eq(shape("{\"a\":1,\"b\":[true,false,null,\"x\",{}]}", false), "{kn"
	                                                                             "k[tfzs{}]}.");
	cr_expect_str_eq(shape("\"\"", false), "s.");
	cr_expect_str_eq(shape("-0.5e+10", false), "n.");
}

Test(json, refuses_what_rfc_8259_refuses)
{
	static const char *const bad[] = {"", " ", "{", "[", "\"", "]", "}", "[1,]", "[,1]",
	        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{1:2}", "[1 2]", "[1}", "{\"a\":1]",
	        "1 2", "[] []", "01", "-", "-a", "1.", ".5", "1e", "1e+", "+1", "0x1", "tru",
	        "truex", "nul", "True", "'a'", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"",
	        "\"\x01\"", "\"\x80\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"",
	        "\"\xe2\x82\"", "\xef\xbb\xbf[]", "NaN", "Infinity", "-Infinity", "[1]//", "\"\x7f",
	        "\"\\"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *got = shape(bad[i], false);
		cr_expect_eq(got[strlen(got) - 1], '!', "accepted: %s", bad[i]);
	}
}

Test(json, lenient_reads_the_numbers_that_python_writes)
{
	cr_expect_str_eq(shape("[NaN,Infinity,-Infinity,-1]", true), "[nnnn].");
	cr_expect_str_eq(shape("[NaN]", false), "[!");
	cr_expect_str_eq(shape("[Nan]", true), "[!");
	struct json j;
	json_init_lenient(&j, "-Infinity", 9);
	struct json_token t = json_next(&j);
	cr_expect_eq(json_token_number(&t), -INFINITY);
	json_init_lenient(&j, "NaN", 3);
	t = json_next(&j);
	cr_expect(isnan(json_token_number(&t)));
}

Test(json, limits_depth)
{
	char text[2 * JSON_MAX_DEPTH + 4] = {0};
	memset(text, '[', JSON_MAX_DEPTH);
	memset(text + JSON_MAX_DEPTH, ']', JSON_MAX_DEPTH);
	struct json j;
	struct json_token t;
	json_init(&j, text, 2 * JSON_MAX_DEPTH);
	t = json_next(&j);
	cr_expect_eq(json_skip(&j, &t).len, 2 * JSON_MAX_DEPTH);
	cr_expect_eq(json_next(&j).type, JSON_TOKEN_END);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	json_init(&j, text, JSON_MAX_DEPTH + 1);
	t = json_next(&j);
	cr_expect_null(json_skip(&j, &t).data);
	cr_expect_str_eq(j.error, "too deep");
	cr_expect_eq(j.error_at, JSON_MAX_DEPTH);
}

/* Skipping must consume the same bytes as json_next(), and find the same errors. */
Test(json, skipping_is_reading_through)
{
	static const char *const lists[] = {"[]", "[ ]", "[0]", "[1,22,333]", "[1, 2,\n3]", "[1 ]",
	        "[1 ,2]", "[01]", "[1,]", "[,1]", "[1", "[1,", "[", "[1,2}", "[-1,2]", "[1,2.5]",
	        "[1e2]", "[1,\"a\"]", "[1,[2,3],4]", "[1,{\"a\":[2]}]", "[1 2]", "[1,2]]",
	        "[null,1]", "[1,NaN]", "[1,[2,],3]", "[1,[02],3]", "[1,[2,3],4]", "{\"a\":[01]}",
	        "{\"a\":[1,2],\"b\":[3,]}", "{\"a\":[[1,2],[3,4}]}", "{\"a\":[{\"b\":[1,2]}]}",
	        "{\"a\":[1,2"};
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct json skipped, read;
		json_init(&skipped, lists[i], strlen(lists[i]));
		read = skipped;
		struct json_token t = json_next(&skipped), u = json_next(&read);
		struct span span = json_skip(&skipped, &t);
		while (read.depth > 0 && u.type != JSON_TOKEN_ERROR) {
			u = json_next(&read);
		}
		cr_expect_eq(span.data != NULL, u.type != JSON_TOKEN_ERROR, "%s", lists[i]);
		cr_expect_eq(skipped.p, read.p, "%s", lists[i]);
		cr_expect_eq(json_next(&skipped).type, json_next(&read).type, "%s", lists[i]);
		cr_expect_eq(skipped.error_at, read.error_at, "%s", lists[i]);
		cr_expect_eq(skipped.error, read.error, "%s", lists[i]);
	}
}

/* Eight decimals are examined at once: tests each byte in each of their places. */
Test(json, decimals_end_where_digits_do)
{
	for (size_t at = 1; at < 19; at++) {
		for (int c = 0x20; c < 0x100; c++) {
			char text[] = "1.77777777777777777777";
			size_t whole = sizeof(text) - 1;
			bool digit = c >= '0' && c <= '9';
			bool exponent = c == 'e' || c == 'E';
			text[2 + at] = (char)c;
			struct json j;
			json_init(&j, text, whole);
			struct json_token t = json_next(&j), after = json_next(&j);
			size_t expected = digit || exponent ? whole : 2 + at;
			cr_expect(t.type == JSON_TOKEN_NUMBER && t.len == expected, "%s", text);
			cr_expect_eq(after.type == JSON_TOKEN_END, expected == whole, "%s", text);
		}
	}
}

Test(json, an_error_sticks)
{
	struct json j;
	json_init(&j, "[1,x,2]", 7);
	while (json_next(&j).type != JSON_TOKEN_ERROR) {
	}
	cr_expect_eq(j.error_at, 3);
	const char *why = j.error;
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(json_next(&j).type, JSON_TOKEN_ERROR);
	}
	cr_expect_eq(j.error, why);
	cr_expect_eq(j.error_at, 3);
}

Test(json, spans_hold_whole_values)
{
	const char *text = " { \"a\" : [ 1 , {\"b\":\"}\"} ] , \"c\" : \"x\" } ";
	struct json j;
	json_init(&j, text, strlen(text));
	struct json_token t = json_next(&j);
	t = json_next(&j);
	cr_expect(json_token_is_key(&t, "a"));
	t = json_next(&j);
	cr_expect(span_is(json_skip(&j, &t), "[ 1 , {\"b\":\"}\"} ]"));
	t = json_next(&j);
	cr_expect(json_token_is_key(&t, "c"));
	t = json_next(&j);
	cr_expect(span_is(json_skip(&j, &t), "\"x\""));
	cr_expect(json_token_is_string(&t, "x"));
	cr_expect_eq(json_next(&j).type, JSON_TOKEN_OBJECT_END);
	cr_expect_eq(json_next(&j).type, JSON_TOKEN_END);
	cr_expect_eq(json_next(&j).type, JSON_TOKEN_END);
}

static struct json_token only(const char *text)
{
	struct json j;
	json_init(&j, text, strlen(text));
	return json_next(&j);
}

Test(json, compares_after_unescaping)
{
	struct json j;
	json_init(&j, "{\"\\u006dod\\u0065l\":1}", 20);
	json_next(&j);
	struct json_token key = json_next(&j);
	cr_expect(json_token_is_key(&key, "model"));
	cr_expect(!json_token_is_key(&key, "mode"));
	cr_expect(!json_token_is_key(&key, "models"));
	cr_expect(!json_token_is_string(&key, "model"));
	struct json_token t = only("\"a\\u0000b\"");
	cr_expect(!json_token_is_string(&t, "a"));
	t = only("\"\"");
	cr_expect(json_token_is_string(&t, ""));
	cr_expect(!json_token_is_string(&t, "a"));
}

Test(json, unescapes_into_utf8)
{
	static const char *const cases[][2] = {
	        {"\"plain \xe2\x82\xac\"", "plain \xe2\x82\xac"},
	        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
	        {"\"\\u00e9\\u20AC\\ud83d\\ude00.\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80."},
	        {"\"\\ud83d\"", "\xef\xbf\xbd"},
	        {"\"\\ud83dx\\ude00\"", "\xef\xbf\xbdx\xef\xbf\xbd"},
	        {"\"\\ud83d\\u0041\"", "\xef\xbf\xbd"
	                               "A"},
	        {"\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_token t = only(cases[i][0]);
		char *s = json_token_dup(&t);
		cr_expect_str_eq(s, cases[i][1], "%s", cases[i][0]);
		free(s);
	}
}

Test(json, integers_are_exact_or_refused)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {{"0", true, 0}, {"-0", true, 0}, {"9223372036854775807", true, INT64_MAX},
	        {"-9223372036854775808", true, INT64_MIN}, {"9223372036854775808", false, 0},
	        {"-9223372036854775809", false, 0}, {"1.0", false, 0}, {"1e3", false, 0},
	        {"99999999999999999999", false, 0}, {"\"1\"", false, 0}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t value = 0;
		struct json_token t = only(cases[i].text);
		cr_expect_eq(json_token_integer(&t, &value), cases[i].ok, "%s", cases[i].text);
		cr_expect_eq(value, cases[i].value, "%s", cases[i].text);
	}
	cr_expect_not(
	        json_token_integer(&(struct json_token){0}, &(int64_t){0}), "no token at all");
	static const char *const NOT_TOKENS[] = {"", "-"}; /* as keys may be */
	for (size_t i = 0; i < ARRAY_LEN(NOT_TOKENS); i++) {
		int64_t value = 7;
		struct json_token t = {
		        JSON_TOKEN_NUMBER, false, NOT_TOKENS[i], strlen(NOT_TOKENS[i])};
		cr_expect_not(json_token_integer(&t, &value), "%s", NOT_TOKENS[i]);
		cr_expect_eq(value, 7);
	}
}

static void expect_same_double(const char *text)
{
	struct json_token t = only(text);
	cr_assert_eq(t.type, JSON_TOKEN_NUMBER, "%s", text);
	cr_assert_eq(t.len, strlen(text), "%s", text);
	double ours = json_token_number(&t), theirs = strtod(text, NULL);
	cr_assert_eq(memcmp(&ours, &theirs, sizeof(ours)), 0, "%s: %.17g, not %.17g", text, ours,
	        theirs);
}

Test(json, numbers_are_correctly_rounded)
{
	static const char *const hard[] = {"0", "-0", "-0.0", "0e99999999999999999999", "1e400",
	        "-1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324",
	        "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308",
	        "9007199254740993", "9007199254740993.0000000000000000000000000001",
	        "9007199254740992.99999999999999999999999", "0.1", "0.30000000000000004", "1e22",
	        "1e23", "8.5e22", "18446744073709551615", "18446744073709551616",
	        "9999999999999999999e27", "1e-27", "9999999999999999999e-27", "5e-324",
	        "6631236846766476e-316",
	        "0.000000000000000000000000000000000000000000000000000000001234567890123456789",
	        "1000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	        "000000000"
	        "e-90",
	        "1e999999999999999999999", "1e-999999999999999999999", "-35182517766952515e-17"};
	for (size_t i = 0; i < ARRAY_LEN(hard); i++) {
		expect_same_double(hard[i]);
	}
	for (int i = 0; i < 300000; i++) {
		char text[80];
		union {
			uint64_t bits;
			double value;
		} x = {.bits = rnd()};
		switch (below(5)) {
		case 0:
			if (!isfinite(x.value)) {
				continue;
			}
			snprintf(text, sizeof(text), "%.*e", (int)below(25), x.value);
			break;
		case 1:
			snprintf(text, sizeof(text), "-%.*f", 1 + (int)below(20),
			        ldexp((double)x.bits, -64) * 30);
			break;
		case 2:
			snprintf(text, sizeof(text), "%lu.%luE%d",
			        (unsigned long)(x.bits >> below(64)),
			        (unsigned long)(rnd() >> below(64)), (int)below(80) - 40);
			break;
		case 3:
			/* Halfway between two doubles, and close to that. */
			snprintf(text, sizeof(text), "%lue%d",
			        ((1ul << 54) + 2 * below(4096) + 1) * (1 + below(8)),
			        (int)below(56) - 28);
			break;
		default:
			snprintf(text, sizeof(text), "%.17g", -log1p(ldexp((double)x.bits, -50)));
		}
		expect_same_double(text);
	}
}

Test(json, long_numbers_are_rounded_by_every_digit)
{
	/* 2^-1074 + half of it, in full (over 750 digits), and one digit more. */
	char text[2048];
	int n = snprintf(text, sizeof(text), "%.1080f", 4.9406564584124654e-324);
	expect_same_double(text);
	memmove(text + 1, text, (size_t)n + 1);
	text[0] = '1';
	expect_same_double(text);
	memset(text, '9', 1500);
	strcpy(text + 1500, "e-1500");
	expect_same_double(text);
	/* 2^53 + 1, zeros, and a last digit beyond any buffer. */
	memset(text, '0', 1800);
	memcpy(text, "9007199254740993.", 17);
	strcpy(text + 1800, "1");
	expect_same_double(text);
	text[1800] = '0';
	expect_same_double(text);
}

Test(json, writes_what_reads_back)
{
	struct buf out = {0};
	for (int i = 0; i < 20000; i++) {
		union {
			uint64_t bits;
			double value;
		} x = {.bits = i % 2 ? rnd() : 0};
		if (i % 2 == 0) {
			x.value = (double)(int64_t)rnd() / (double)(1 + below(1000000));
		}
		buf_clear(&out);
		json_put_number(&out, x.value);
		struct json_token t = only(buf_cstr(&out));
		if (!isfinite(x.value)) {
			cr_expect_eq(t.type, JSON_TOKEN_NULL);
			continue;
		}
		cr_expect_eq(t.type, JSON_TOKEN_NUMBER);
		cr_expect_eq(json_token_number(&t), x.value, "%s", buf_cstr(&out));
	}
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {-1, "-1"}, {0.1, "0.1"}, {1e21, "1e+21"},
	        {-0.35182517766952515, "-0.35182517766952515"}, {123456789012, "123456789012"},
	        {-0.0, "-0"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&out);
		json_put_number(&out, cases[i].value);
		cr_expect_str_eq(buf_cstr(&out), cases[i].text);
	}
	buf_clear(&out);
	json_put_string(&out, (struct span){"a\"\\\n\x01/\x7f\xff\xe2\x82\xac\xe2\x82", 13});
	cr_expect_str_eq(buf_cstr(&out),
	        "\"a\\\"\\\\\\n\\u0001/\x7f\xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\"");
	buf_finish(&out);
}

Test(json, find_takes_the_last_of_duplicates_and_only_whole_documents)
{
	static const char *const path[] = {"a", "b"};
	struct json_token t;
	struct span span;
	cr_assert(json_find(SPAN("{\"a\":{\"b\":1},\"x\":0,\"a\":{\"c\":0,\"b\":[2, 3]}}"), path, 2,
	        &t, &span));
	cr_expect(span_is(span, "[2, 3]"));
	cr_expect_eq(t.type, JSON_TOKEN_ARRAY);
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1},\"a\":2}"), path, 2, &t, &span));
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1}"), path, 2, &t, &span));
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1}} x"), path, 2, &t, NULL));
	cr_expect(!json_find(SPAN("[]"), path, 1, &t, NULL));
	cr_expect(json_find(SPAN("{\"a\":null}"), path, 1, &t, NULL));
	cr_assert(json_find_lenient(SPAN("{\"a\":1,\"a\":NaN}"), "a", &t, &span));
	cr_expect(span_is(span, "NaN"));
	cr_expect(!json_find_lenient(SPAN("{\"a\":[2], \"b\""), "a", &t, &span));
	cr_expect(span_is(span, "NaN"), "a failure writes no result");
}
