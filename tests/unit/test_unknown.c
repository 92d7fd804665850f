#include <criterion/criterion.h>

#include "tests/unit/readings.h"

/*
 * Members of an answer that hold content and that no reader takes are named in the reading, so that
 * nobody counts two such answers as identical.
 */

#define MESSAGE(inside) CHOICE("\"message\":{\"role\":\"assistant\"," inside "}")
#define CALLS(inside) MESSAGE("\"content\":null,\"tool_calls\":[" inside "]")
#define OUTPUT(inside)                                                                             \
	"{\"object\":\"response\",\"status\":\"completed\",\"tools\":[{\"type\":\"function\"}],"   \
	"\"output\":[" inside "]}"
#define EVENT(inside) "data: {" inside "}\n\n"

static void expect_unknown(struct reading *r, const char *body, const char *names)
{
	cr_assert_eq((r->marks & READING_UNKNOWN_MEMBERS) != 0, names != NULL, "%s: %s", body,
	        r->unknown ? r->unknown : "none");
	if (names) {
		cr_assert_str_eq(r->unknown, names, "%s", body);
	} else {
		cr_assert_null(r->unknown, "%s", body);
	}
	reading_destroy(r);
}

static void unary(const char *body, const char *names)
{
	expect_unknown(read_body(body), body, names);
}

static void stream(const char *body, const char *names)
{
	expect_unknown(read_stream(body), body, names);
}

Test(unknown, content_beside_the_text_of_a_message_is_named)
{
	unary(MESSAGE("\"content\":null,\"audio\":{\"id\":\"a\",\"transcript\":\"Hi.\"}"),
	        "message.audio");
	unary(MESSAGE("\"content\":\"\",\"images\":[{\"image_url\":{\"url\":\"data:x\"}}]"),
	        "message.images");
	unary(MESSAGE("\"content\":\"x\",\"annotations\":[{\"type\":\"url_citation\"}]"),
	        "message.annotations");
	unary(MESSAGE("\"content\":\"x\",\"score\":0.5"), "message.score");
	unary(MESSAGE("\"content\":\"x\",\"context\":{\"citations\":[{\"content\":\"y\"}]},"
	              "\"tool_plan\":\"First\""),
	        "message.context message.tool_plan");
	unary(MESSAGE("\"content\":\"x\",\"provider_specific_fields\":{\"citations\":[\"y\"]}"),
	        "message.citations");
	unary(CHOICE("\"text\":\"x\",\"audio\":{\"data\":\"UklGRg==\"}"), "choice.audio");
	unary("{\"choices\":[{\"text\":\"x\",\"finish_reason\":\"stop\"}],\"citations\":[\"u\"]}",
	        "citations");
}

Test(unknown, what_has_no_value_or_no_content_is_not_named)
{
	unary(MESSAGE("\"content\":\"x\",\"audio\":null,\"images\":[],\"annotations\":[],"
	              "\"context\":{\"citations\":[{\"content\":\"\"}]},\"anything\":\"\","
	              "\"is_new\":false,\"signature\":\"abc\",\"name\":\"bot\","
	              "\"provider_specific_fields\":{\"reasoning\":\"y\",\"refusal\":null}"),
	        NULL);
	unary("{\"id\":\"1\",\"trace\":\"t\",\"x_cost\":{\"usd\":1},\"prompt_filter_results\":"
	      "[{\"prompt_index\":0,\"content_filter_results\":{\"hate\":{\"severity\":\"safe\"}}}]"
	      ","
	      "\"choices\":[{\"index\":0,\"text\":\"x\",\"finish_reason\":\"stop\",\"stop_reason\":"
	      "\"\\n\",\"arrival_time\":1.5,\"cached\":true,\"hidden_states\":[[0.5]],"
	      "\"content_filter_results\":{\"hate\":{\"severity\":\"safe\"}}}]}",
	        NULL);
}

Test(unknown, a_member_of_the_wrong_type_is_named_where_it_has_a_value)
{
	unary(MESSAGE("\"content\":{\"answer\":1}"), "message.content");
	unary(MESSAGE("\"content\":5"), "message.content");
	unary(MESSAGE("\"content\":[7]"), "message.content");
	unary(MESSAGE("\"content\":\"x\",\"refusal\":{\"why\":\"y\"}"), "message.refusal");
	unary(MESSAGE("\"content\":\"x\",\"tool_calls\":{\"name\":\"f\"}"), "message.tool_calls");
	unary(MESSAGE("\"content\":\"x\",\"reasoning\":12"), "message.reasoning");
	unary(CHOICE("\"text\":[\"x\"]"), "choice.text");
	unary(CHOICE("\"message\":\"x\""), "choice.message");
	unary(MESSAGE("\"content\":{},\"refusal\":{},\"tool_calls\":{},\"reasoning\":null"), NULL);
}

Test(unknown, parts_of_a_content_are_read_or_named_by_their_type)
{
	unary(MESSAGE("\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"image_url\","
	              "\"image_url\":{\"url\":\"data:x\"}}]"),
	        "content.image_url");
	unary(MESSAGE("\"content\":[{\"type\":\"text\",\"text\":\"x\",\"citations\":[\"y\"]}]"),
	        "content.citations");
	unary(MESSAGE("\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"thinking\","
	              "\"thinking\":\"y\",\"signature\":\"s\"},{\"type\":\"redacted_thinking\","
	              "\"data\":\"z\"}]"),
	        NULL);
}

Test(unknown, custom_tool_calls_are_read)
{
	struct reading *r = read_body(CALLS("{\"id\":\"c\",\"type\":\"custom\",\"custom\":"
	                                    "{\"name\":\"run\",\"input\":\"print(1)\"}}"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "run");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "print(1)");
	expect_unknown(r, "a custom call", NULL);

	r = read_stream(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"custom\","
	                      "\"custom\":{\"name\":\"run\",\"input\":\"\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"print\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"(1)\"}}"
	                              "]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "run");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "print(1)");
	expect_unknown(r, "a streamed custom call", NULL);
}

Test(unknown, calls_of_other_kinds_are_named)
{
	unary(CALLS("{\"id\":\"c\",\"type\":\"mcp\",\"mcp\":{\"server\":\"s\"}}"), "tool_call.mcp");
	unary(CALLS("{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"a\":1}}"
	            "}"),
	        "tool_call.parameters");
	unary(CALLS("{\"id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\",\"extra_content\":"
	            "{\"google\":{\"thought_signature\":\"s\"}}}"),
	        NULL);
}

Test(unknown, a_stream_names_what_its_deltas_hold)
{
	stream(DELTA("\"content\":\"x\"") DELTA("\"audio\":{\"transcript\":\"Hi\"}")
	                DELTA("\"audio\":{\"transcript\":\"!\"}") FINISH,
	        "message.audio");
	stream("data: {\"choices\":[{\"index\":0,\"delta\":\"x\"}]}\n\n" FINISH, "choice.message");
	stream(DELTA("\"content\":\"x\",\"obfuscation\":\"abc\"") FINISH, NULL);
}

Test(unknown, items_parts_and_events_of_responses_are_read_or_named)
{
	unary(OUTPUT("{\"type\":\"web_search_call\",\"id\":\"w\",\"status\":\"completed\"}"),
	        "output.web_search_call");
	unary(OUTPUT("{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"x\","
	             "\"annotations\":[{\"url\":\"u\"}]},{\"type\":\"output_audio\"}]}"),
	        "content.annotations content.output_audio");
	unary(OUTPUT("{\"type\":\"message\",\"content\":{\"x\":1}}"), "content.x");
	unary(OUTPUT("{\"type\":\"message\",\"content\":5}"), "output.content");
	unary(OUTPUT("{\"type\":\"message\",\"role\":\"assistant\",\"phase\":\"final\",\"content\":"
	             "[{\"type\":\"output_text\",\"text\":\"x\",\"annotations\":[]}]},"
	             "{\"type\":\"reasoning\",\"encrypted_content\":\"e\",\"summary\":[]},"
	             "{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"f\",\"input\":"
	             "\"y\"}"),
	        NULL);
	stream(EVENT("\"type\":\"response.code_interpreter_call_code.delta\",\"item_id\":\"i\","
	             "\"output_index\":0,\"delta\":\"print\""),
	        "response.code_interpreter_call_code.delta");
	stream(EVENT("\"type\":\"response.web_search_call.searching\",\"item_id\":\"i\","
	             "\"output_index\":0,\"sequence_number\":3"),
	        NULL);
}

Test(unknown, native_forms_name_what_stands_beside_their_text)
{
	unary("{\"model\":\"m\",\"response\":\"\",\"done\":true,\"image\":\"iVBO\",\"total_"
	      "duration\":5}",
	        "image");
	unary("{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"x\",\"images\":"
	      "[\"iVBO\"]},\"done\":true}",
	        "message.images");
	unary("{\"content\":\"x\",\"stop\":true,\"stop_type\":\"eos\",\"tokens_predicted\":1,"
	      "\"audio\":\"UklG\",\"generation_settings\":{\"samplers\":[\"top_k\"]}}",
	        "audio");
	unary("{\"text\":\"x\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}},\"images\":["
	      "\"i\"]}",
	        "images");
	unary("{\"generated_text\":\"x\",\"audio\":{\"data\":\"UklG\"}}", "audio");
}

Test(unknown, names_are_bounded_in_number_and_length_and_hold_plain_characters)
{
	struct buf body = {0};
	buf_append_str(
	        &body, "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{");
	for (int i = 0; i < 100; i++) {
		buf_printf(&body, "\"m%d\":\"x\",", i);
	}
	buf_append_str(&body, "\"content\":\"x\"}}]}");
	unary(buf_cstr(&body),
	        "message.m0 message.m1 message.m2 message.m3 message.m4 message.m5 message.m6 "
	        "message.m7");
	buf_clear(&body);
	buf_append_str(
	        &body, "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"");
	for (int i = 0; i < 1000; i++) {
		buf_append_char(&body, 'a');
	}
	buf_append_str(&body, "\":1}}]}");
	struct reading *r = read_body(buf_cstr(&body));
	cr_assert_eq(strlen(r->unknown), 64);
	reading_destroy(r);
	buf_finish(&body);
	unary(MESSAGE("\"a b\\n\xc3\xa9\":\"x\""), "message.a?b?n??");
}
