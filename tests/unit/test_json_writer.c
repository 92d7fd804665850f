#include "base/json_writer.h"

#include <criterion/criterion.h>
#include <math.h>

/* A document with each kind of value. */
static void put_document(struct json_writer *w)
{
	json_writer_open(w, NULL, '{');
	json_writer_string(w, "string", span_of("\"\\\n\x01"));
	json_writer_text(w, "text", "\xc3\xa9");
	json_writer_text(w, "absent", NULL);
	json_writer_open(w, "list", '[');
	json_writer_integer(w, NULL, INT64_MIN);
	json_writer_count(w, NULL, UINT64_MAX);
	json_writer_open(w, NULL, '{');
	json_writer_close(w, "}]");
	json_writer_number(w, "number", 0.1);
	json_writer_number(w, "none", NAN);
	json_writer_open(w, "nested", '{');
	json_writer_open(w, "list", '[');
	json_writer_bool(w, NULL, true);
	json_writer_close(w, "]}");
	json_writer_bool(w, "bool", false);
	json_writer_null(w, "null");
	json_writer_raw(w, "raw", SPAN("[ 1 ]"));
	json_writer_raw(w, "left out", SPAN(""));
	json_writer_printf(w, "fixed", "%.2f", 0.5);
	json_writer_hex(w, "hex", (const uint8_t[]){0xa0, 1}, 2);
	json_writer_begin(w, SPAN("a\"\xe2\x82\xac"));
	buf_append_str(w->to, "2");
	json_writer_close(w, "}");
}

static void expect_document(enum json_style style, const char *want)
{
	struct buf text = {0};
	struct json_writer w = {.to = &text, .style = style};
	put_document(&w);
	cr_expect_str_eq(buf_cstr(&text), want);
	buf_finish(&text);
}

Test(json_writer, compact_has_no_spaces)
{
	expect_document(JSON_STYLE_COMPACT,
	        "{\"string\":\"\\\"\\\\\\n\\u0001\",\"text\":\"\xc3\xa9\",\"absent\":null,"
	        "\"list\":[-9223372036854775808,18446744073709551615,{}],\"number\":0.1,"
	        "\"none\":null,\"nested\":{\"list\":[true]},\"bool\":false,\"null\":null,"
	        "\"raw\":[ 1 ],\"fixed\":0.50,\"hex\":\"a001\",\"a\\\"\xe2\x82\xac\":2}");
}

Test(json_writer, spaced_has_a_space_after_each_comma_and_colon)
{
	expect_document(JSON_STYLE_SPACED,
	        "{\"string\": \"\\\"\\\\\\n\\u0001\", \"text\": \"\xc3\xa9\", \"absent\": null, "
	        "\"list\": [-9223372036854775808, 18446744073709551615, {}], \"number\": 0.1, "
	        "\"none\": null, \"nested\": {\"list\": [true]}, \"bool\": false, "
	        "\"null\": null, \"raw\": [ 1 ], \"fixed\": 0.50, \"hex\": \"a001\", "
	        "\"a\\\"\xe2\x82\xac\": 2}");
}

Test(json_writer, ascii_escapes_all_other_characters)
{
	expect_document(JSON_STYLE_ASCII,
	        "{\"string\": \"\\\"\\\\\\n\\u0001\", \"text\": \"\\u00e9\", \"absent\": null, "
	        "\"list\": [-9223372036854775808, 18446744073709551615, {}], \"number\": 0.1, "
	        "\"none\": null, \"nested\": {\"list\": [true]}, \"bool\": false, "
	        "\"null\": null, \"raw\": [ 1 ], \"fixed\": 0.50, \"hex\": \"a001\", "
	        "\"a\\\"\\u20ac\": 2}");
}

Test(json_writer, ascii_writes_surrogates_and_replaces_what_is_not_utf8)
{
	struct buf text = {0};
	struct json_writer w = {.to = &text, .style = JSON_STYLE_ASCII};
	json_writer_string(&w, NULL, span_of("a\xf0\x9f\x98\x80\xff\xed\xa0\x80\x7f\xc3"));
	cr_expect_str_eq(
	        buf_cstr(&text), "\"a\\ud83d\\ude00\\ufffd\\ufffd\\ufffd\\ufffd\x7f\\ufffd\"");
	buf_finish(&text);
}

Test(json_writer, indented_has_a_line_for_each_value)
{
	expect_document(JSON_STYLE_INDENTED, "{\n"
	                                     "  \"string\": \"\\\"\\\\\\n\\u0001\",\n"
	                                     "  \"text\": \"\xc3\xa9\",\n"
	                                     "  \"absent\": null,\n"
	                                     "  \"list\": [\n"
	                                     "    -9223372036854775808,\n"
	                                     "    18446744073709551615,\n"
	                                     "    {}\n"
	                                     "  ],\n"
	                                     "  \"number\": 0.1,\n"
	                                     "  \"none\": null,\n"
	                                     "  \"nested\": {\n"
	                                     "    \"list\": [\n"
	                                     "      true\n"
	                                     "    ]\n"
	                                     "  },\n"
	                                     "  \"bool\": false,\n"
	                                     "  \"null\": null,\n"
	                                     "  \"raw\": [ 1 ],\n"
	                                     "  \"fixed\": 0.50,\n"
	                                     "  \"hex\": \"a001\",\n"
	                                     "  \"a\\\"\xe2\x82\xac\": 2\n"
	                                     "}");
}

Test(json_writer, a_document_can_be_one_value)
{
	struct buf text = {0};
	struct json_writer w = {.to = &text, .style = JSON_STYLE_INDENTED};
	json_writer_integer(&w, NULL, -1);
	cr_expect_str_eq(buf_cstr(&text), "-1");
	buf_finish(&text);
}

Test(json_writer, continues_a_list_that_has_values)
{
	struct buf text = {0};
	buf_append_str(&text, "{}");
	struct json_writer w = {.to = &text, .comma = true};
	json_writer_open(&w, NULL, '{');
	json_writer_close(&w, "}");
	cr_expect_str_eq(buf_cstr(&text), "{},{}");
	buf_finish(&text);
}
