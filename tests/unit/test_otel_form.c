#include "capture/formats/otel_form.h"

#include <stdlib.h>

#include <criterion/criterion.h>

static char *messages(const char *list, bool *more)
{
	struct buf body = {0}, to = {0};
	buf_printf(&body, "{\"messages\":%s}", list);
	const char *why = otel_form_messages(buf_span(&body), &to, more);
	buf_finish(&body);
	if (why) {
		buf_clear(&to);
		buf_append_str(&to, why);
	}
	return buf_steal(&to);
}

static void check_messages(const char *list, const char *ought, bool more_ought)
{
	bool more = !more_ought;
	char *got = messages(list, &more);
	cr_expect_str_eq(got, ought, "%s", got);
	cr_expect_eq(more, more_ought, "%s", list);
	free(got);
}

static void check_tools(const char *body, const char *ought, bool more_ought)
{
	struct buf to = {0};
	bool more = !more_ought;
	const char *why = otel_form_tools(span_of(body), &to, &more);
	cr_expect_str_eq(why ? why : buf_cstr(&to), ought, "%s", body);
	cr_expect_eq(more, more_ought, "%s", body);
	buf_finish(&to);
}

#define USER "{\"role\":\"user\",\"content\":\"a\""
#define USER_ALONE "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"a\"}]}]"
#define CALL "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
#define CALLED(call) "[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":" call "}]"
#define PART                                                                                       \
	"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"f\"," \
	"\"arguments\":"

Test(otel_form, members_that_have_no_place_in_a_message_are_told_of)
{
	check_messages("[" USER "}]", USER_ALONE, false);
	check_messages("[" USER ",\"refusal\":null}]", USER_ALONE, false);
	check_messages("[" USER ",\"name\":\"me\"}]", USER_ALONE, true);
	check_messages("[" USER ",\"reasoning_content\":\"so\"}]", USER_ALONE, true);
	check_messages("[" USER ",\"audio\":{\"id\":\"x\"}}]", USER_ALONE, true);
	check_messages("[" USER ",\"tool_calls\":[]}]", USER_ALONE, true);
	check_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}]",
	        USER_ALONE, false);
	check_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\","
	               "\"cache_control\":{}}]}]",
	        USER_ALONE, true);
	check_messages(CALLED("[" CALL "\"{}\"}}]"), PART "{}}]}]", false);
	check_messages(CALLED("[" CALL "\"{}\"},\"index\":0}]"), PART "{}}]}]", true);
	check_messages(CALLED("[" CALL "\"{}\",\"strict\":true}}]"), PART "{}}]}]", true);
}

Test(otel_form, arguments_that_are_no_json_stay_a_text)
{
	check_messages(CALLED("[" CALL "\"{\\\"x\\\":1}\"}}]"), PART "{\"x\":1}}]}]", false);
	check_messages(
	        CALLED("[" CALL "\"{\\\"x\\\":NaN}\"}}]"), PART "\"{\\\"x\\\":NaN}\"}]}]", false);
	check_messages(CALLED("[" CALL "\" {}\"}}]"), PART "\" {}\"}]}]", false);
}

Test(otel_form, a_list_that_holds_something_else_than_calls_or_tools_has_no_place)
{
	check_messages(CALLED("[" CALL "\"{}\"}},5]"), "a tool call in it is not an object", false);
	check_messages(CALLED("{}"), "the tool calls in it are not a list", false);
	check_messages(
	        CALLED("[{\"id\":\"1\"}]"), "a tool call in it is not a call of a function", false);
	check_tools("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}},\"g\"]}",
	        "it offers a tool that is not an object", false);
	check_tools("{\"tools\":{}}", "the tools that it offers are not a list", false);
}

Test(otel_form, tools_are_their_functions_with_a_type)
{
	check_tools("{}", "", false);
	check_tools("{\"tools\":null}", "", false);
	check_tools("{\"tools\":[]}", "[]", false);
	check_tools("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]}",
	        "[{\"type\":\"function\",\"name\":\"f\"}]", false);
	check_tools("{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"},"
	            "\"cache_control\":{}}]}",
	        "[{\"type\":\"function\",\"name\":\"f\"}]", true);
}
