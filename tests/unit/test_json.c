#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both have these names, and are wanted here. */
#define json_type jansson_type
#define json_integer jansson_integer
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_INTEGER JANSSON_INTEGER
#define JSON_REAL JANSSON_REAL
#define JSON_TRUE JANSSON_TRUE
#define JSON_FALSE JANSSON_FALSE
#define JSON_NULL JANSSON_NULL
#include <jansson.h>
#undef json_type
#undef json_integer
#undef json_is_string
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_INTEGER
#undef JSON_REAL
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL

#include "base/json.h"
#include "base/mem.h"

/* The whole document as tokens: "{k:s}" and so on, "!" for an error. */
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
	} while (t.type != JSON_ERROR && t.type != JSON_END);
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
	cr_expect_eq(json_number(&t), -INFINITY);
	json_init_lenient(&j, "NaN", 3);
	t = json_next(&j);
	cr_expect(isnan(json_number(&t)));
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
	cr_expect_eq(json_next(&j).type, JSON_END);
	memset(text, '[', JSON_MAX_DEPTH + 1);
	json_init(&j, text, JSON_MAX_DEPTH + 1);
	t = json_next(&j);
	cr_expect_null(json_skip(&j, &t).data);
	cr_expect_str_eq(j.error, "too deep");
	cr_expect_eq(j.error_at, JSON_MAX_DEPTH);
}

Test(json, an_error_sticks)
{
	struct json j;
	json_init(&j, "[1,x,2]", 7);
	while (json_next(&j).type != JSON_ERROR) {
	}
	cr_expect_eq(j.error_at, 3);
	const char *why = j.error;
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(json_next(&j).type, JSON_ERROR);
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
	cr_expect(json_is_key(&t, "a"));
	t = json_next(&j);
	cr_expect(span_is(json_skip(&j, &t), "[ 1 , {\"b\":\"}\"} ]"));
	t = json_next(&j);
	cr_expect(json_is_key(&t, "c"));
	t = json_next(&j);
	cr_expect(span_is(json_skip(&j, &t), "\"x\""));
	cr_expect(json_is_string(&t, "x"));
	cr_expect_eq(json_next(&j).type, JSON_OBJECT_END);
	cr_expect_eq(json_next(&j).type, JSON_END);
	cr_expect_eq(json_next(&j).type, JSON_END);
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
	cr_expect(json_is_key(&key, "model"));
	cr_expect(!json_is_key(&key, "mode"));
	cr_expect(!json_is_key(&key, "models"));
	cr_expect(!json_is_string(&key, "model"));
	struct json_token t = only("\"a\\u0000b\"");
	cr_expect(!json_is_string(&t, "a"));
	t = only("\"\"");
	cr_expect(json_is_string(&t, ""));
	cr_expect(!json_is_string(&t, "a"));
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
		char *s = json_dup(&t);
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
		cr_expect_eq(json_integer(&t, &value), cases[i].ok, "%s", cases[i].text);
		cr_expect_eq(value, cases[i].value, "%s", cases[i].text);
	}
}

static uint64_t random_state;

static uint64_t rnd(void)
{
	/* splitmix64: the same documents on every run */
	uint64_t z = random_state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static size_t below(size_t n)
{
	return (size_t)(rnd() % n);
}

static void expect_same_double(const char *text)
{
	struct json_token t = only(text);
	cr_assert_eq(t.type, JSON_NUMBER, "%s", text);
	cr_assert_eq(t.len, strlen(text), "%s", text);
	double ours = json_number(&t), theirs = strtod(text, NULL);
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
			/* Halfway between two doubles, and near. */
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
			cr_expect_eq(t.type, JSON_NULL);
			continue;
		}
		cr_expect_eq(t.type, JSON_NUMBER);
		cr_expect_eq(json_number(&t), x.value, "%s", buf_cstr(&out));
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
	cr_expect_eq(t.type, JSON_ARRAY);
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1},\"a\":2}"), path, 2, &t, &span));
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1}"), path, 2, &t, &span));
	cr_expect(!json_find(SPAN("{\"a\":{\"b\":1}} x"), path, 2, &t, NULL));
	cr_expect(!json_find(SPAN("[]"), path, 1, &t, NULL));
	cr_expect(json_find(SPAN("{\"a\":null}"), path, 1, &t, NULL));
}

/* The document as jansson would hold it, but read by us. NULL: refused. */
static json_t *build(struct json *j, const struct json_token *t)
{
	struct buf text = {0};
	json_t *value = NULL;
	struct json_token next;
	int64_t integer;
	switch (t->type) {
	case JSON_OBJECT:
		value = json_object();
		while ((next = json_next(j)).type == JSON_KEY) {
			json_unescape(&next, &text);
			struct json_token first = json_next(j);
			json_t *member = build(j, &first);
			if (!member) {
				break;
			}
			buf_cstr(&text);
			json_object_setn_new_nocheck(value, text.data, text.len, member);
			buf_clear(&text);
		}
		buf_finish(&text);
		break;
	case JSON_ARRAY:
		value = json_array();
		while ((next = json_next(j)).type != JSON_ARRAY_END) {
			json_t *item = build(j, &next);
			if (!item) {
				break;
			}
			json_array_append_new(value, item);
		}
		break;
	case JSON_STRING:
		json_unescape(t, &text);
		buf_cstr(&text);
		value = json_stringn_nocheck(text.data, text.len);
		buf_finish(&text);
		break;
	case JSON_NUMBER:
		return json_integer(t, &integer) ? json_pack("I", (json_int_t)integer)
		                                 : json_real(json_number(t));
	case JSON_TRUE:
		return json_true();
	case JSON_FALSE:
		return json_false();
	case JSON_NULL:
		return json_null();
	default:
		return NULL;
	}
	if (j->error) {
		json_decref(value);
		return NULL;
	}
	return value;
}

static json_t *read_ours(const char *text, size_t len)
{
	struct json j;
	json_init(&j, text, len);
	struct json_token t = json_next(&j);
	json_t *value = build(&j, &t);
	if (value && json_next(&j).type != JSON_END) {
		json_decref(value);
		return NULL;
	}
	return value;
}

/* What jansson refuses and we do not: numbers beyond its types, lone surrogates, U+0000 in a key.
 */
static bool is_liberty(const json_error_t *error)
{
	return json_error_code(error) == json_error_numeric_overflow ||
	       strstr(error->text, "invalid Unicode") ||
	       json_error_code(error) == json_error_null_byte_in_key;
}

static void compare(const char *data, size_t len)
{
	char *text = xmemdup(data, len); /* so that a sanitizer sees one byte too far */
	json_error_t error;
	json_t *theirs = json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	json_t *ours = read_ours(text, len);
	if (theirs && ours) {
		cr_assert(json_equal(ours, theirs), "values differ: %.*s", (int)len, text);
	} else if (theirs) {
		/* jansson 2.14 loses a NUL right after a number or word. */
		cr_assert(memchr(text, '\0', len), "only jansson takes %.*s", (int)len, text);
	} else if (ours) {
		cr_assert(is_liberty(&error), "only we take %.*s (%s)", (int)len, text, error.text);
	}
	json_decref(theirs);
	json_decref(ours);
	free(text);
}

static void put_space(struct buf *to)
{
	while (below(8) == 0) {
		for (size_t n = 1 + below(20); n; n--) {
			buf_append_char(to, " \t\r\n"[below(4)]);
		}
	}
}

static void put_random_string(struct buf *to)
{
	static const char *const bits[] = {"\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t",
	        "\\u0041", "\\u00e9", "\\u20ac", "\\uD83D\\uDE00", "\xc3\xa9", "\xe2\x82\xac",
	        "\xf0\x9f\x98\x80", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "\\u0000", "{", "]",
	        ",", ":", "\x7f", "\xef\xbf\xbf"};
	buf_append_char(to, '"');
	for (size_t n = below(12); n; n--) {
		if (below(2)) {
			buf_append_str(to, bits[below(ARRAY_LEN(bits))]);
		} else {
			for (size_t m = below(40); m; m--) {
				buf_append_char(
				        to, "abcdefghijklmnopqrstuvwxyz ABC0123"[below(34)]);
			}
		}
	}
	buf_append_char(to, '"');
}

static void put_random_value(struct buf *to, int depth)
{
	put_space(to);
	switch (below(depth > 0 ? 9 : 6)) {
	case 0:
		buf_append_str(to, (const char *const[]){"true", "false", "null"}[below(3)]);
		break;
	case 1:
		buf_printf(to, "%ld", (long)(rnd() >> below(64)));
		break;
	case 2:
		buf_printf(to, "%.*g", 1 + (int)below(17), -log1p(ldexp((double)rnd(), -60)));
		break;
	case 3:
		buf_printf(to, "-%u.%uE%+d", (unsigned)below(1000), (unsigned)below(1000),
		        (int)below(40) - 20);
		break;
	case 4:
	case 5:
		put_random_string(to);
		break;
	default:
		if (below(2)) {
			buf_append_char(to, '[');
			for (size_t n = below(6); n; n--) {
				put_random_value(to, depth - 1);
				buf_append_str(to, n > 1 ? "," : "");
			}
			put_space(to);
			buf_append_char(to, ']');
		} else {
			buf_append_char(to, '{');
			for (size_t n = below(6); n; n--) {
				put_space(to);
				if (below(2)) {
					buf_printf(
					        to, "\"%c\"", 'a' + (int)below(3)); /* duplicates */
				} else {
					put_random_string(to);
				}
				put_space(to);
				buf_append_char(to, ':');
				put_random_value(to, depth - 1);
				buf_append_str(to, n > 1 ? "," : "");
			}
			put_space(to);
			buf_append_char(to, '}');
		}
	}
	put_space(to);
}

static void mutate(struct buf *text)
{
	static const char *const bits[] = {"\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".",
	        "e", "\\u", "\\ud800", "\x80", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	        "\xc0\xaf", "tru", "null", " ", "\n", "\x01", "1e999", "01"};
	for (size_t n = 1 + below(3); n && text->len; n--) {
		size_t at = below(text->len);
		switch (below(4)) {
		case 0:
			text->data[at] ^= (char)(1 << below(8));
			break;
		case 1:
			memmove(text->data + at, text->data + at + 1, text->len - at - 1);
			text->len--;
			break;
		case 2:
			text->len = at;
			break;
		default: {
			const char *bit = bits[below(ARRAY_LEN(bits))];
			size_t len = strlen(bit);
			buf_reserve(text, len);
			memmove(text->data + at + len, text->data + at, text->len - at);
			memcpy(text->data + at, bit, len);
			text->len += len;
		}
		}
	}
}

Test(json, agrees_with_jansson_on_generated_documents)
{
	struct buf text = {0};
	for (int i = 0; i < 6000; i++) {
		buf_clear(&text);
		put_random_value(&text, 6);
		compare(text.data, text.len);
	}
	buf_finish(&text);
}

Test(json, agrees_with_jansson_on_damaged_documents)
{
	struct buf text = {0};
	for (int i = 0; i < 40000; i++) {
		buf_clear(&text);
		put_random_value(&text, 3);
		mutate(&text);
		compare(text.data, text.len);
	}
	buf_finish(&text);
}

Test(json, agrees_with_jansson_on_engines_answers)
{
	static const char *const names[] = {"vllm-0.32.0/chat-logprobs",
	        "mlx-lm-0.32.2/chat-logprobs", "llama-cpp-python-0.3.36/completion-logprobs",
	        "vllm-0.32.0/completion"};
	const char *dir = getenv("GOLDEN_DIR");
	cr_assert_not_null(dir);
	struct buf text = {0}, damaged = {0};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path = xasprintf("%s/%s.response", dir, names[i]);
		FILE *f = fopen(path, "rb");
		cr_assert_not_null(f, "%s", path);
		buf_clear(&text);
		text.len = fread(buf_reserve(&text, 1 << 20), 1, 1 << 20, f);
		fclose(f);
		free(path);
		const char *body = strstr(buf_cstr(&text), "\r\n\r\n");
		cr_assert_not_null(body);
		buf_consume(&text, (size_t)(body + 4 - text.data));
		compare(text.data, text.len);
		for (int n = 0; n < 300; n++) {
			buf_clear(&damaged);
			buf_append_span(&damaged, buf_span(&text));
			mutate(&damaged);
			compare(damaged.data, damaged.len);
		}
	}
	buf_finish(&text);
	buf_finish(&damaged);
}
