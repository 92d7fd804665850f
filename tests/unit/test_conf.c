#include "base/conf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct conf *parse(const char *text)
{
	char *error = NULL;
	struct conf *y = conf_parse("file.yaml", span_of(text), &error);
	cr_assert_not_null(y, "%s", error);
	return y;
}

static void assert_error(const char *text, const char *expected)
{
	char *error = NULL;
	struct conf *y = conf_parse("file.yaml", span_of(text), &error);
	const char *said = y ? conf_error(y) : error;
	cr_assert_not_null(said, "accepted: %s", text);
	cr_assert_str_eq(said, expected);
	conf_destroy(y);
	free(error);
}

static const struct conf_node *get(struct conf *y, const char *key)
{
	return conf_get(y, conf_root(y), key);
}

Test(conf, reads_maps_lists_and_scalars_with_their_lines)
{
	struct conf *y = parse("listen: 127.0.0.1:80\n"
	                       "# a comment\n"
	                       "references:\n"
	                       "  - {name: a, share: 20%}\n"
	                       "  - name: 'b c'\n");
	cr_assert_str_eq(conf_string(y, get(y, "listen"), NULL), "127.0.0.1:80");
	const struct conf_node *list = get(y, "references");
	cr_assert_eq(conf_kind(list), CONF_LIST);
	cr_assert_eq(conf_size(list), 2);
	cr_assert_eq(conf_line(conf_item(list, 1)), 5);
	cr_assert_str_eq(conf_string(y, conf_get(y, conf_item(list, 1), "name"), NULL), "b c");
	cr_assert_float_eq(conf_share(y, conf_get(y, conf_item(list, 0), "share"), 0), 0.2, 1e-12);
	const char *key;
	conf_pair(conf_item(list, 0), 1, &key);
	cr_assert_str_eq(key, "share");
	cr_assert_null(conf_error(y));
	conf_destroy(y);
}

Test(conf, absent_keys_give_the_fallback)
{
	struct conf *y = parse("");
	cr_assert_eq(conf_kind(conf_root(y)), CONF_MAP);
	cr_assert_str_eq(conf_string(y, get(y, "a"), "x"), "x");
	cr_assert_eq(conf_int(y, get(y, "a"), 0, 9, 5), 5);
	cr_assert_eq(conf_bool(y, get(y, "a"), true), true);
	cr_assert_eq(conf_bytes(y, get(y, "a"), 7), 7);
	cr_assert_eq(conf_duration(y, get(y, "a"), 8), 8);
	cr_assert_null(conf_get(y, NULL, "below"));
	cr_assert_null(conf_error(y));
	conf_destroy(y);
}

Test(conf, an_unknown_key_is_refused_with_its_line_and_the_nearest_right_one)
{
	struct conf *y = parse("listen: a\ncapture:\n  path: x\n  max_sise: 1GiB\n");
	const struct conf_node *capture = get(y, "capture");
	(void)get(y, "listen");
	(void)conf_get(y, capture, "path");
	(void)conf_get(y, capture, "max_size");
	conf_check_keys(y, conf_root(y));
	cr_assert_null(conf_error(y));
	conf_check_keys(y, capture);
	cr_assert_str_eq(conf_error(y), "file.yaml:4: capture.max_sise: is not a known key; did "
	                                "you mean max_size?");
	conf_destroy(y);
}

Test(conf, an_unknown_key_like_none_is_refused_without_advice)
{
	struct conf *y = parse("zebra: 1\n");
	(void)get(y, "listen");
	conf_check_keys(y, conf_root(y));
	cr_assert_str_eq(conf_error(y), "file.yaml:1: zebra: is not a known key");
	conf_destroy(y);
}

Test(conf, what_yaml_could_hide_is_refused)
{
	assert_error("a: 1\nb: 2\na: 3\n", "file.yaml:3: a: was already given in line 1");
	assert_error("a: &x 1\n",
	        "file.yaml:1: anchors and tags are not supported; write the value out");
	assert_error("a: !!str 1\n",
	        "file.yaml:1: anchors and tags are not supported; write the value out");
	assert_error(
	        "a: 1\nb: *a\n", "file.yaml:2: aliases are not supported; write the value out");
	assert_error("a: 1\n---\nb: 2\n",
	        "file.yaml:2: a second document begins here; only one is read");
	assert_error("? [a]\n: 1\n", "file.yaml:1: a key must be a word");
	assert_error("a: \"x\\0y\"\n", "file.yaml:1: a value must not have a NUL");
}

Test(conf, what_is_not_yaml_is_told_with_its_line)
{
	char *error = NULL;
	cr_assert_null(conf_parse("file.yaml", span_of("a: 1\nb: [1\nc: }\n"), &error));
	cr_assert_eq(strncmp(error, "file.yaml:3: is not YAML: ", 26), 0, "%s", error);
	free(error);
	error = NULL;
	cr_assert_null(conf_parse("file.yaml", span_of("a: 1\nb: \xff\xfe\n"), &error));
	cr_assert_eq(strncmp(error, "file.yaml:2: is not YAML: ", 26), 0, "%s", error);
	free(error);
}

Test(conf, depth_and_size_are_limited)
{
	struct buf text = {0};
	for (int i = 0; i < 5000; i++) {
		buf_append_char(&text, '[');
	}
	assert_error(buf_cstr(&text), "file.yaml:1: nested deeper than 32 levels");
	buf_clear(&text);
	while (text.len <= 1024 * 1024) {
		buf_append_str(&text, "# nothing\n");
	}
	char *error = NULL;
	cr_assert_null(conf_parse("file.yaml", buf_span(&text), &error));
	cr_assert_str_eq(error, "file.yaml: is over the limit of 1048576 bytes");
	free(error);
	buf_finish(&text);
}

Test(conf, many_keys_do_not_take_quadratic_time)
{
	struct buf text = {0};
	for (int i = 0; i < 60000; i++) {
		buf_printf(&text, "k%d: 1\n", i);
	}
	struct conf *y = parse(buf_cstr(&text));
	cr_assert_eq(conf_size(conf_root(y)), 60000);
	conf_destroy(y);
	buf_finish(&text);
}

static void assert_value_error(const char *text,
        void (*read)(struct conf *, const struct conf_node *), const char *expected)
{
	struct conf *y = parse(text);
	read(y, get(y, "k"));
	cr_assert_not_null(conf_error(y), "accepted: %s", text);
	cr_assert_str_eq(conf_error(y), expected);
	conf_destroy(y);
}

static void read_int(struct conf *y, const struct conf_node *n)
{
	cr_assert_eq(conf_int(y, n, 1, 64, 3), 3);
}

static void read_bool(struct conf *y, const struct conf_node *n)
{
	cr_assert_eq(conf_bool(y, n, true), true);
}

static void read_string(struct conf *y, const struct conf_node *n)
{
	cr_assert_str_eq(conf_string(y, n, "f"), "f");
}

static void read_choice(struct conf *y, const struct conf_node *n)
{
	static const char *const WORDS[] = {"both", "references", "off", NULL};
	cr_assert_eq(conf_choice(y, n, WORDS, 1), 1);
}

Test(conf, values_of_the_wrong_form_are_refused)
{
	assert_value_error(
	        "k: yes\n", read_bool, "file.yaml:1: k: must be true or false, not \"yes\"");
	assert_value_error(
	        "k: 'true'\n", read_bool, "file.yaml:1: k: must be true or false, not \"true\"");
	assert_value_error("k: 65\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not \"65\"");
	assert_value_error("k: 2.0\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not \"2.0\"");
	assert_value_error("k: 0x10\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not \"0x10\"");
	assert_value_error("k: 99999999999999999999\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not "
	        "\"99999999999999999999\"");
	assert_value_error("k: [1]\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not a list");
	assert_value_error("k:\n", read_string, "file.yaml:1: k: has no value; it must be a text");
	assert_value_error(
	        "k: null\n", read_string, "file.yaml:1: k: has no value; it must be a text");
	assert_value_error("k: reference\n", read_choice,
	        "file.yaml:1: k: must be both, references or off, not \"reference\"; did you mean "
	        "references?");
	assert_value_error("k: \"a\\nb\"\n", read_int,
	        "file.yaml:1: k: must be a whole number from 1 to 64, not \"a?b\"");
}

Test(conf, only_the_first_problem_is_reported)
{
	struct conf *y = parse("a: x\nb: y\n");
	conf_int(y, get(y, "b"), 0, 1, 0);
	conf_int(y, get(y, "a"), 0, 1, 0);
	cr_assert_eq(strncmp(conf_error(y), "file.yaml:2: b:", 15), 0);
	conf_destroy(y);
}

static uint64_t bytes(const char *s)
{
	uint64_t n;
	return conf_parse_bytes(s, &n) ? n : UINT64_MAX;
}

static uint64_t duration(const char *s)
{
	uint64_t n;
	return conf_parse_duration(s, &n) ? n : UINT64_MAX;
}

Test(conf, sizes_have_binary_and_decimal_units)
{
	cr_assert_eq(bytes("512"), 512);
	cr_assert_eq(bytes("64KiB"), 65536);
	cr_assert_eq(bytes("20GiB"), UINT64_C(20) << 30);
	cr_assert_eq(bytes("10MB"), 10000000);
	cr_assert_eq(bytes("1.5KiB"), 1536);
	cr_assert_eq(bytes("18446744073709551616"), UINT64_MAX);
	cr_assert_eq(bytes("99999999TiB"), UINT64_MAX);
	cr_assert_eq(bytes("-1"), UINT64_MAX);
	cr_assert_eq(bytes("1 GiB"), UINT64_MAX);
	cr_assert_eq(bytes(""), UINT64_MAX);
	cr_assert_eq(bytes("1.GiB"), UINT64_MAX);
}

Test(conf, durations_need_their_unit)
{
	cr_assert_eq(duration("40ms"), UINT64_C(40000000));
	cr_assert_eq(duration("1s"), UINT64_C(1000000000));
	cr_assert_eq(duration("1.5s"), UINT64_C(1500000000));
	cr_assert_eq(duration("2h"), UINT64_C(7200000000000));
	cr_assert_eq(duration("0"), 0);
	cr_assert_eq(duration("5"), UINT64_MAX);
	cr_assert_eq(duration("5x"), UINT64_MAX);
}

Test(conf, numbers_may_be_negative_and_in_percent)
{
	double d = 7;
	cr_assert(conf_parse_number("-3", &d) && d == -3);
	cr_assert(conf_parse_number("0.25", &d) && d == 0.25);
	cr_assert(conf_parse_number("250%", &d) && d == 2.5);
	cr_assert(conf_parse_number("-0.5%", &d) && d == -0.005);
	d = 7;
	static const char *const WRONG[] = {"", "-", "--1", "+1", "1e3", "nan", "inf", "1.", ".5",
	        "1 ", " 1", "1%%", "%", "0x10"};
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++) {
		cr_assert_not(conf_parse_number(WRONG[i], &d), "%s", WRONG[i]);
	}
	cr_assert_eq(d, 7, "written on success only");
}

Test(conf, shares_and_rates)
{
	double d = -1;
	cr_assert(conf_parse_share("20%", &d));
	cr_assert_float_eq(d, 0.2, 1e-12);
	cr_assert(conf_parse_share("0.125", &d));
	cr_assert_float_eq(d, 0.125, 0);
	cr_assert(conf_parse_share("100%", &d));
	cr_assert_float_eq(d, 1, 0);
	cr_assert_not(conf_parse_share("20", &d));
	cr_assert_not(conf_parse_share("101%", &d));
	cr_assert_not(conf_parse_share("nan", &d));
	cr_assert(conf_parse_rate("5/s", &d));
	cr_assert_float_eq(d, 5, 0);
	cr_assert(conf_parse_rate("300/m", &d));
	cr_assert_float_eq(d, 5, 1e-12);
	cr_assert_not(conf_parse_rate("5", &d));
	cr_assert_not(conf_parse_rate("/s", &d));
}

Test(conf, a_file_that_cannot_be_read_is_named)
{
	char *error = NULL;
	cr_assert_null(conf_load("/nonexistent/x.yaml", &error));
	cr_assert_str_eq(error, "/nonexistent/x.yaml: can't be read: No such file or directory");
	free(error);
	error = NULL;
	cr_assert_null(conf_load("/", &error));
	cr_assert_str_eq(error, "/: can't be read: Is a directory");
	free(error);
}

Test(conf, a_node_becomes_json)
{
	struct conf *y = parse(
	        "k: {temperature: 0, stop: [\"1\", 2e3, x y], a: true, b: , c: 'null', d: 01}\n");
	struct buf json = {0};
	conf_put_json(get(y, "k"), &json);
	cr_assert_str_eq(buf_cstr(&json), "{\"temperature\":0,\"stop\":[\"1\",2e3,\"x y\"],"
	                                  "\"a\":true,\"b\":null,\"c\":\"null\",\"d\":\"01\"}");
	buf_finish(&json);
	conf_destroy(y);
}
