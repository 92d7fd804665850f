#include "analyzer/report/document/exhibit_parts.h"
#include "analyzer/report/document/exhibits.h"

#include <string.h>

#include <criterion/criterion.h>

static void check_text(struct span s, size_t limit, const char *wanted, size_t wanted_left)
{
	size_t left = 99;
	json_t *text = exhibit_text(s, limit, &left);
	cr_assert_str_eq(json_string_value(text), wanted);
	cr_assert_eq(left, wanted_left);
	json_decref(text);
}

Test(exhibit, a_text_is_cut_at_a_character_and_says_by_how_much)
{
	check_text(SPAN(""), 10, "", 0);
	check_text(SPAN("short"), 10, "short", 0);
	check_text(SPAN("a longer one"), 8, "a longer", 4);
	check_text(SPAN("abc\xe2\x82\xac"), 5, "abc", 3);
	check_text(SPAN("abc\xe2\x82\xac"), 6, "abc\xe2\x82\xac", 0);
}

Test(exhibit, bytes_that_are_no_text_are_shown_as_such)
{
	check_text(SPAN("a\xff\xe2\x82z"), 10, "a\\xff\\xe2\\x82z", 0);
	check_text(SPAN("\x80\x80\x80\x80"), 2, "\\x80\\x80", 2);
	check_text(SPAN("a\0b"), 10, "a\\x00b", 0);
}

static json_t *prompt_of(const char *body)
{
	json_t *o = json_object();
	exhibit_prompt(o, span_of(body));
	return o;
}

static const char *message(const json_t *o, size_t i, const char *key)
{
	const char *text = json_string_value(
	        json_object_get(json_array_get(json_object_get(o, "prompt"), i), key));
	return text ? text : "(none)";
}

Test(exhibit, messages_and_what_else_a_request_sets_are_told_apart)
{
	json_t *o = prompt_of(
	        "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"
	        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"What is it?\"},"
	        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}]},"
	        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\"}]}],"
	        "\"temperature\":0}");
	cr_assert_str_eq(message(o, 0, "role"), "system");
	cr_assert_str_eq(message(o, 0, "text"), "Be brief.");
	cr_assert_str_eq(message(o, 1, "text"), "What is it?\n[image_url]");
	cr_assert_str_eq(message(o, 2, "text"), "[{\"id\":\"a\"}]");
	cr_assert_eq(json_array_size(json_object_get(o, "prompt")), 3);
	cr_assert_str_eq(json_string_value(json_object_get(o, "parameters")),
	        "{\"model\":\"m\",\"temperature\":0}");
	json_decref(o);
}

Test(exhibit, what_is_no_request_is_shown_raw)
{
	static const char *const BODIES[] = {"", "{", "[1]", "{\"messages\":7}",
	        "{\"prompt\":[1,2]}", "{\"messages\":[1,null,{}]}", "\xff\xfe"};
	for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
		json_t *o = prompt_of(BODIES[i]);
		cr_assert(json_is_array(json_object_get(o, "prompt")));
		cr_assert(json_is_string(json_object_get(o, "request")));
		json_decref(o);
	}
}

Test(exhibit, a_long_prompt_is_cut_and_counted)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"prompt\":\"");
	for (size_t i = 0; i < 100000; i++) {
		buf_append_char(&body, 'x');
	}
	buf_append_str(&body, "\"}");
	json_t *o = prompt_of(buf_cstr(&body));
	size_t shown = strlen(message(o, 0, "text"));
	cr_assert_lt(shown, 20000);
	cr_assert_eq(json_integer_value(json_object_get(o, "prompt_left_out")),
	        (json_int_t)(100000 - shown));
	cr_assert_gt(json_integer_value(json_object_get(o, "request_left_out")), 0);
	json_decref(o);
	buf_finish(&body);
}

Test(exhibit, the_cost_of_a_document_is_what_a_page_holds)
{
	json_t *plain = json_pack("{s:s}", "a", "bcd"), *marks = json_pack("{s:s}", "a", "<&>");
	cr_assert_eq(exhibits_cost(plain), strlen("{\"a\":\"bcd\"}"));
	cr_assert_eq(exhibits_cost(marks), strlen("{\"a\":\"\\u003c\\u0026\\u003e\"}"));
	json_decref(plain);
	json_decref(marks);
}
