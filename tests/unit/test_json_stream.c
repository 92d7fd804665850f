#include "capture/formats/json_stream.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"

static const struct json_stream_rule RULES[] = {{NULL, true}, {"list", true}, {"flat", false}};

/* All events as one text: brackets, key=value, "!why" for an error, "?why@line" for a gap.
 * */
static char *events_of(const char *text, size_t len, bool many, bool gaps)
{
	FILE *file = fmemopen((void *)text, len, "r");
	struct json_stream *o = json_stream_create(file, RULES, ARRAY_LEN(RULES));
	struct json_stream_event e;
	struct buf to = {0};
	if (many) {
		json_stream_allow_many(o);
	}
	if (gaps) {
		json_stream_allow_gaps(o);
	}
	do {
		json_stream_next(o, &e);
		switch (e.type) {
		case JSON_STREAM_OPEN:
			buf_printf(
			        &to, "%.*s%c ", (int)e.key.len, e.key.data, e.is_array ? '[' : '{');
			break;
		case JSON_STREAM_CLOSE:
			buf_append_str(&to, e.is_array ? "] " : "} ");
			break;
		case JSON_STREAM_VALUE:
			buf_printf(&to, "%.*s=%.*s@%d ", (int)e.key.len, e.key.data,
			        (int)e.value.len, e.value.data, (int)e.line);
			break;
		case JSON_STREAM_ERROR:
			buf_printf(&to, "!%s", e.why);
			break;
		case JSON_STREAM_DAMAGED:
			buf_printf(&to, "?%s@%d ", e.why, (int)e.line);
			break;
		case JSON_STREAM_END:
			buf_append_char(&to, '.');
			break;
		}
	} while (e.type != JSON_STREAM_END && e.type != JSON_STREAM_ERROR);
	json_stream_destroy(o);
	fclose(file);
	return buf_steal(&to);
}

static char *all_events(const char *text, size_t len)
{
	return events_of(text, len, false, false);
}

static void check_gaps(bool many, const char *text, const char *expected)
{
	char *is = events_of(text, strlen(text), many, true);
	cr_expect_str_eq(is, expected, "%s gives %s", text, is);
	free(is);
}

static void check(const char *text, const char *expected)
{
	char *is = all_events(text, strlen(text));
	cr_expect_str_eq(is, expected, "%s gives %s", text, is);
	free(is);
}

Test(json_stream, outer_lists_are_walked_into_and_inner_values_come_whole)
{
	check("[{\"a\": 1, \"b\": {\"c\": [2]}}, 3]", "[ { a=1@1 b={\"c\": [2]}@1 } =3@1 ] .");
	check("{\"x\": [1,2],\n\"list\": [{\"y\": \"]}\"}],\n\"flat\": [{\"z\": 1}, []]}",
	        "{ x=[1,2]@1 list[ { y=\"]}\"@2 } ] flat[ ={\"z\": 1}@3 =[]@3 ] } .");
	check(" [ ] ", "[ ] .");
	check("{}", "{ } .");
	check("7", "=7@1 .");
	check("[\"a\\\"]\", \"\\\\\"]", "[ =\"a\\\"]\"@1 =\"\\\\\"@1 ] .");
}

Test(json_stream, a_byte_order_mark_before_the_document_is_passed_over)
{
	check("\xef\xbb\xbf"
	      "[1]",
	        "[ =1@1 ] .");
	check("\xef\xbb\xbf", "!there is no document");
	check("[1]\xef\xbb\xbf", "[ =1@1 ] !there is text after the document");
}

Test(json_stream, what_is_malformed_is_told_after_all_that_was_whole)
{
	check("", "!there is no document");
	check("[1, ", "[ =1@1 !the document ends within a value");
	check("[{\"a\": 1}", "[ { a=1@1 } !the document ends early");
	check("[{\"a\": \"x", "[ { !the document ends within a string");
	check("[1 2]", "[ =1@1 !a comma is missing");
	check("[1,]", "[ =1@1 !a value is missing");
	check("[{a: 1}]", "[ { !a member's name is missing");
	check("[{\"a\" 1}]", "[ { !a colon is missing");
	check("[1] 2", "[ =1@1 ] !there is text after the document");
	check("{\"a\": }", "{ !a value is missing");
}

/* Values span the blocks in which a file is read. */
Test(json_stream, a_value_of_any_place_and_length_comes_as_it_is)
{
	for (size_t before = 65500; before < 65560; before++) {
		struct buf text = {0};
		buf_append_str(&text, "[\"");
		memset(buf_reserve(&text, before), 'x', before);
		text.len += before;
		buf_append_str(&text, "\", {\"key\": \"va\\\"lue\"}]");
		FILE *file = fmemopen(text.data, text.len, "r");
		struct json_stream *o = json_stream_create(file, RULES, ARRAY_LEN(RULES));
		struct json_stream_event e;
		json_stream_next(o, &e);
		json_stream_next(o, &e);
		cr_assert_eq(e.value.len, before + 2);
		json_stream_next(o, &e);
		cr_assert_eq(e.type, JSON_STREAM_OPEN);
		json_stream_next(o, &e);
		cr_assert(span_is(e.key, "key") && span_is(e.value, "\"va\\\"lue\""));
		json_stream_destroy(o);
		fclose(file);
		buf_finish(&text);
	}
}

Test(json_stream, a_value_over_the_limit_is_read_past)
{
	size_t n = JSON_STREAM_LIMIT + 10;
	char *text = xmalloc(n + 16);
	memset(text, 'x', n + 16);
	memcpy(text, "[\"", 2);
	memcpy(text + n, "\", 5]", 5);
	FILE *file = fmemopen(text, n + 5, "r");
	struct json_stream *o = json_stream_create(file, RULES, ARRAY_LEN(RULES));
	struct json_stream_event e;
	json_stream_next(o, &e);
	json_stream_next(o, &e);
	cr_assert(e.type == JSON_STREAM_VALUE && e.too_long && e.value.len == 0);
	json_stream_next(o, &e);
	cr_assert(e.type == JSON_STREAM_VALUE && !e.too_long && span_is(e.value, "5"));
	json_stream_destroy(o);
	fclose(file);
	free(text);
}

Test(json_stream, a_damaged_element_is_told_and_the_next_one_comes)
{
	/* A missing bracket, an extra one, a string without its end. */
	check_gaps(false, "{\"flat\": [\n{\"a\": 1},\n{\"a\": {,\n{\"a\": 3},\n{\"a\": 4}\n]}",
	        "{ flat[ ={\"a\": 1}@2 ?a bracket is closed by one of another kind@3 ={\"a\": 3}@4 "
	        "={\"a\": "
	        "4}@5 ] } .");
	check_gaps(false, "{\"flat\": [\n{\"a\": 1}},\n{\"a\": 2}\n]}",
	        "{ flat[ ={\"a\": 1}@2 ?a comma is missing@2 ={\"a\": 2}@3 ] } .");
	check_gaps(false, "{\"flat\": [\n  {\"a\": \"x},\n  {\n    \"a\": {}\n  }\n]}",
	        "{ flat[ ?a string does not end on its line@2 ={\n    \"a\": {}\n  }@3 ] } .");
}

Test(json_stream, where_no_line_is_there_to_go_back_to_a_value_comes_as_it_is)
{
	/* The reader of the value finds the error. */
	check_gaps(false, "{\"flat\": [{\"a\": 1}, {\"a\": \"x\ny\"}, {\"a\": 3}]}",
	        "{ flat[ ={\"a\": 1}@1 ={\"a\": \"x\ny\"}@1 ={\"a\": 3}@2 ] } .");
	check_gaps(false, "{\"flat\": [{\"a\": 1}, {\"a\": [2}}, {\"a\": 3}]}",
	        "{ flat[ ={\"a\": 1}@1 ={\"a\": [2}}@1 ={\"a\": 3}@1 ] } .");
	check_gaps(true, "{\"flat\": [{\"a\": \"x\ny\"}, {\"a\": 2}]}\n{\"b\": 3}\n",
	        "{ flat[ ={\"a\": \"x\ny\"}@1 ={\"a\": 2}@2 ] } { b=3@3 } .");
}

Test(json_stream, a_line_that_is_cut_does_not_reach_into_the_next_document)
{
	check_gaps(true, "{\"flat\": [{\"a\": \"x\n{\"b\": 2}\n{\"b\": 3}\n",
	        "{ flat[ ?a string does not end on its line@1 { b=2@2 } { b=3@3 } .");
	check_gaps(true, "{\"flat\": [{\"a\": [1}, 2\n{\"b\": 2}\n{\"b\": 3}\n",
	        "{ flat[ ?a bracket is closed by one of another kind@1 { b=2@2 } { b=3@3 } .");
	check_gaps(true, "{\"flat\": [{\"a\": [1,\n{\"b\": 2}\n{\"b\": 3}\n",
	        "{ flat[ ?the document ends within a value@1 { b=2@2 } { b=3@3 } .");
}

Test(json_stream, a_comma_that_is_missing_between_lines_is_no_damage_to_either)
{
	check_gaps(false, "{\"flat\": [\n{\"a\": 1}\n{\"a\": 2},\n{\"a\": 3}\n]}",
	        "{ flat[ ={\"a\": 1}@2 ={\"a\": 2}@3 ={\"a\": 3}@4 ] } .");
	check("{\"flat\": [\n{\"a\": 1}\n{\"a\": 2}]}",
	        "{ flat[ ={\"a\": 1}@2 !a comma is missing");
}

Test(json_stream, a_damaged_document_is_told_and_the_next_one_comes)
{
	check_gaps(true, "{\"a\": 1}\n{\"list\": [{\n{\"a\": 3}\n}\n{\"a\": 4}\n",
	        "{ a=1@1 } { list[ { ?a member's name is missing@2 { a=3@3 } ?a value is missing@4 "
	        "{ a=4@5 } .");
}

Test(json_stream, behind_the_last_damage_there_is_nothing_to_go_on_with)
{
	check_gaps(false, "{\"flat\": [\n{\"a\": 1},\n{\"a\": {\n]}",
	        "{ flat[ ={\"a\": 1}@2 !a bracket is closed by one of another kind");
	check_gaps(false, "{\"flat\": [{\"a\": {, {\"b\": 1}]}",
	        "{ flat[ ={\"a\": {, {\"b\": 1}]}@1 !the document ends early");
	check_gaps(false, "{\"flat\": [\n{\"a\": {,\n {\"b\": 1}]}",
	        "{ flat[ !a bracket is closed by one of another kind");
}

Test(json_stream, so_many_gaps_and_no_more)
{
	struct buf text = {0};
	for (int i = 0; i < JSON_STREAM_GAPS + 2; i++) {
		buf_append_str(&text, "{\"a\": [\n");
	}
	char *is = events_of(text.data, text.len, true, true);
	size_t gaps = 0;
	for (const char *p = is; (p = strchr(p, '?')); p++) {
		gaps++;
	}
	cr_expect_eq(gaps, JSON_STREAM_GAPS);
	cr_expect(strstr(is, "!the document ends"));
	free(is);
	buf_finish(&text);
}
