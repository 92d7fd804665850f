#include <criterion/criterion.h>

#include "base/mem.h"
#include "tests/unit/readings.h"

/*
 * A reading names members with content that plumbline does not read, so that nobody counts two
 * such answers as identical.
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
	unary(MESSAGE("\"provider_specific_fields\":{\"content\":\"y\",\"refusal\":[]},"
	              "\"content\":\"x\",\"refusal\":\"no\""),
	        "message.content");
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
	unary("{\"id\":\"1\",\"x_note\":\"\",\"x_more\":{\"a\":[null,false]},\"prompt_filter_"
	      "results\":"
	      "[{\"prompt_index\":0,\"content_filter_results\":{\"hate\":{\"severity\":\"safe\"}}}]"
	      ","
	      "\"choices\":[{\"index\":0,\"text\":\"x\",\"finish_reason\":\"stop\",\"stop_reason\":"
	      "\"\\n\",\"arrival_time\":1.5,\"cached\":false,\"hidden_states\":[[0.5]],"
	      "\"content_filter_results\":{\"hate\":{\"severity\":\"safe\"}}}]}",
	        NULL);
}

#define BESIDE(members) "{" members ",\"choices\":[{\"text\":\"x\",\"finish_reason\":\"stop\"}]}"

Test(unknown, whatever_stands_beside_the_choices_is_known_or_named)
{
	unary(BESIDE("\"citations\":[\"u\"]"), "citations");
	unary(BESIDE("\"search_results\":[{\"title\":\"t\"}]"), "search_results");
	unary(BESIDE("\"grounding\":{\"chunks\":[\"t\"]}"), "grounding");
	unary(BESIDE("\"note\":\"This is AI.\""), "note");
	unary(BESIDE("\"answer\":42"), "answer");
	unary(BESIDE("\"is_final\":true"), "is_final");
	unary(BESIDE("\"metadata\":{\"citations\":[\"u\"]}"), "metadata");
	unary(BESIDE("\"message\":\"x\",\"detail\":\"y\""), "message detail");
	stream("data: " BESIDE("\"sources\":{\"a\":1}") "\n\n", "sources");
	stream(DELTA("\"content\":\"x\"") FINISH "data: {\"choices\":[],\"note\":\"x\"}\n\n",
	        "note");
	unary("{\"choices\":[{\"text\":\"x\",\"finish_reason\":\"stop\"},\"y\"]}", "choices");
}

Test(unknown, what_engines_and_gateways_put_beside_the_choices_is_known)
{
	static const char *const members[] = {
	        "\"x_groq\":{\"id\":\"r\",\"seed\":1,\"usage\":{\"queue_time\":0.1}}",
	        "\"x_mine\":{\"id\":\"r\",\"usage\":{\"total_tokens\":1},\"took_ms\":3}",
	        "\"provider\":\"p\",\"service_tier\":\"default\",\"system_fingerprint\":\"f\"",
	        "\"timings\":{\"prompt_n\":1},\"stats\":{\"tokens_per_second\":1},\"time_info\":{"
	        "\"q\":1}",
	        "\"kv_transfer_params\":{\"a\":\"b\"},\"ec_transfer_params\":{\"a\":\"b\"},"
	        "\"metrics\":"
	        "{\"a\":1}",
	        "\"prompt_token_ids\":[1],\"prompt_logprobs\":[null],\"prompt_text\":\"p\"",
	        "\"metadata\":{\"weight_version\":\"d\"},\"sglext\":{\"a\":1},\"nvext\":{\"a\":1}",
	        "\"prompt\":[],\"created\":1.5,\"request_id\":\"r\",\"code\":0,\"queue_time\":0.5",
	        "\"base_resp\":{\"status_code\":0,\"status_msg\":\"ok\"},\"input_sensitive\":true",
	        "\"amazon-bedrock-invocationMetrics\":{\"inputTokenCount\":9,\"firstByteLatency\":"
	        "5},"
	        "\"amazon-bedrock-guardrailAction\":\"NONE\"",
	        "\"CreatedAt\":\"2025-10-06\",\"Successful\":true,\"HttpStatusCode\":0,\"IsDelta\":"
	        "false",
	};
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct buf body = {0};
		buf_printf(&body, BESIDE("%s"), members[i]);
		unary(buf_cstr(&body), NULL);
		buf_finish(&body);
	}
	unary("{\"object\":\"response\",\"status\":\"completed\",\"temperature\":1,\"store\":true,"
	      "\"text\":{\"format\":{\"type\":\"text\"}},\"reasoning\":{\"effort\":\"low\"},"
	      "\"tool_choice\":\"auto\",\"completed_at\":5,\"output\":[]}",
	        NULL);
	unary("{\"object\":\"response\",\"status\":\"completed\",\"text\":\"x\",\"output\":[]}",
	        "text");
	unary("{\"object\":\"response\",\"status\":\"completed\",\"answer\":1,\"sources\":{\"a\":"
	      "\"b\"},\"output\":[]}",
	        "answer sources");
}

Test(unknown, numbers_and_booleans_of_a_choice_are_known_or_named)
{
	unary(CHOICE("\"text\":\"x\",\"score\":0.5"), "choice.score");
	unary(CHOICE("\"text\":\"x\",\"cached\":true"), "choice.cached");
	unary(CHOICE("\"text\":\"x\",\"answer_num\":42"), "choice.answer_num");
	unary(CHOICE("\"text\":\"x\",\"metadata\":{\"note\":\"n\"}"), "choice.metadata");
	unary("{\"choices\":[{\"index\":\"1\",\"text\":\"x\"}]}", "choice.index");
	unary(CHOICE("\"text\":\"x\",\"extra\":{\"token_ids\":[1],\"stop_reason\":5}"), NULL);
	unary(CHOICE("\"text\":\"x\",\"extra\":{\"token_ids\":[1],\"citations\":[5]}"),
	        "choice.extra");
	unary(CHOICE("\"text\":\"x\",\"seed\":5,\"decode_time\":0.5,\"hidden_states\":[[1]]"),
	        NULL);
	unary(CHOICE("\"text\":\"x\",\"meta_info\":{\"e2e_latency\":1,\"verdict\":7}"),
	        "meta_info.verdict");
}

Test(unknown, errors_have_no_content)
{
	unary("{\"object\":\"error\",\"message\":\"m\",\"hint\":\"h\",\"code\":400}", NULL);
	struct reading *r = read_error_body("{\"detail\":\"d\",\"hint\":\"h\",\"choices\":[]}");
	expect_unknown(r, "an error", NULL);
}

Test(unknown, a_member_of_the_wrong_type_is_named_where_it_has_a_value)
{
	unary(MESSAGE("\"content\":{\"answer\":1}"), "message.content");
	unary(MESSAGE("\"content\":5"), "message.content");
	unary(MESSAGE("\"content\":[7]"), "message.content");
	unary(MESSAGE("\"content\":\"x\",\"refusal\":{\"why\":\"y\"}"), "message.refusal");
	unary(MESSAGE("\"content\":\"x\",\"tool_calls\":\"f\""), "message.tool_calls");
	unary(MESSAGE("\"content\":\"x\",\"reasoning\":12"), "message.reasoning");
	unary(CHOICE("\"text\":[\"x\"]"), "choice.text");
	unary(CHOICE("\"message\":\"x\""), "choice.message");
	unary(MESSAGE("\"content\":{},\"refusal\":{},\"tool_calls\":{},\"reasoning\":null"), NULL);
}

/* U+FFFD replaces it, whichever half it is. */
Test(unknown, a_text_with_half_a_surrogate_pair_is_named)
{
	unary(MESSAGE("\"content\":\"x\\ud83d\""), "message.content");
	unary(MESSAGE("\"content\":\"\\ude00x\""), "message.content");
	unary(MESSAGE("\"content\":\"\\ud83dx\\ude00\""), "message.content");
	unary(MESSAGE("\"content\":\"\\ud83d\\ude00\\u005c\""), NULL);
	unary(MESSAGE("\"content\":\"\\\\ud83d \\ufffd\""), NULL);
	unary(MESSAGE("\"content\":\"x\",\"reasoning\":\"\\ud83d\""), "message.reasoning");
	unary(MESSAGE("\"content\":\"\\ude00\",\"refusal\":\"\\ud83d\""),
	        "message.content message.refusal");
	unary(MESSAGE("\"reasoning\":\"xyz\",\"reasoning_content\":\"x\\ud83dyz\""),
	        "message.reasoning");
	unary(CALLS("{\"function\":{\"name\":\"f\",\"arguments\":\"\\ud83d\"}}"),
	        "tool_call.arguments");
	stream(DELTA("\"content\":\"\\ud83d\"") DELTA("\"content\":\"x\"") FINISH,
	        "message.content");
	stream(DELTA("\"content\":\"\\ud83d\"") FINISH, "message.content");
	stream(DELTA("\"content\":\"\\ud83d\"") DELTA("\"content\":\"\\ude00\"") FINISH, NULL);
	stream(DELTA("\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"\\ud83d\"}}]")
	                DELTA("\"tool_calls\":[{\"function\":{\"arguments\":\"\\ude00\"}}]") FINISH,
	        NULL);
}

Test(unknown, a_copy_of_content_that_is_not_there_is_named)
{
	unary(MESSAGE("\"content\":null,\"parsed\":{\"a\":1}"), "message.content");
	unary(CHOICE("\"message\":{\"content\":\"\"},\"raw_output\":\"x\""), "message.content");
	unary(MESSAGE("\"content\":\"{\\\"a\\\":1}\",\"parsed\":{\"a\":1}"), NULL);
	unary(MESSAGE("\"content\":null,\"parsed\":null"), NULL);
	/* The copy is in one choice, and the other has no content. */
	unary("{\"choices\":[{\"message\":{\"content\":\"x\",\"parsed\":\"x\"}},{\"index\":1,"
	      "\"message\":{\"content\":\"\",\"parsed\":null}}]}",
	        NULL);
	unary("{\"choices\":[{\"message\":{\"content\":\"\",\"parsed\":null}},{\"index\":1,"
	      "\"message\":{\"content\":\"\",\"parsed\":\"x\"}}]}",
	        "message.content");
}

Test(unknown, token_ids_without_a_text_are_named)
{
	unary(CHOICE("\"text\":\"\",\"token_ids\":[5,2]"), "choice.token_ids");
	unary(CHOICE("\"text\":\"\",\"token_ids\":[2]"), NULL);
	unary(CHOICE("\"text\":\"x\",\"token_ids\":[5,2]"), NULL);
	unary(CHOICE("\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]},"
	             "\"token_ids\":[5,2]"),
	        NULL);
	stream("data: {\"choices\":[{\"index\":0,\"text\":\"\",\"token_ids\":[5]}]}\n\n"
	       "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"token_ids\":[2],"
	       "\"finish_reason\":\"stop\"}]}\n\n",
	        "choice.token_ids");
}

Test(unknown, token_ids_of_native_forms_without_a_text_are_named)
{
	unary("{\"output_ids\":[5,2],\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}}}",
	        "choice.token_ids");
	unary("{\"text\":\"x\",\"output_ids\":[5,2],\"meta_info\":{\"finish_reason\":{\"type\":"
	      "\"stop\"}}}",
	        NULL);
	unary("{\"content\":\"\",\"tokens\":[5,2],\"stop\":true,\"stop_type\":\"eos\"}",
	        "choice.token_ids");
}

Test(unknown, two_choices_of_an_answer_with_the_same_index_are_named)
{
	unary("{\"choices\":[{\"index\":0,\"text\":\"x\"},{\"index\":0,\"text\":\"y\"}]}",
	        "choice.index");
	unary("{\"choices\":[{\"text\":\"x\"}],\"choices\":[{\"text\":\"y\"}]}", "choice.index");
	unary("{\"choices\":[{\"text\":\"x\"},{\"text\":\"y\"}]}", NULL);
	stream(DELTA("\"content\":\"x\"") DELTA("\"content\":\"y\"") FINISH, NULL);
	stream("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}},"
	       "{\"index\":0,\"delta\":{\"content\":\"y\"}}]}\n\n" FINISH,
	        "choice.index");
	stream("data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"x\"}},"
	       "{\"index\":0,\"delta\":{\"content\":\"y\"}}]}\n\n" FINISH,
	        NULL);
}

Test(unknown, messages_in_an_event_without_choices_are_named)
{
	stream(DELTA("\"content\":\"x\"") "data: {\"code\":1302,\"msg\":\"busy\"}\n\n" FINISH,
	        "msg");
	stream(DELTA("\"content\":\"x\"") "data: "
	                                  "{\"error_code\":17,\"error_msg\":\"busy\"}\n\n" FINISH,
	        "error_msg");
}

/* Clients stop reading at [DONE]. */
Test(unknown, content_after_the_end_of_a_stream_is_named)
{
	static const char *const after[] = {DELTA("\"content\":\"y\""),
	        DELTA("\"reasoning_content\":\"y\""),
	        DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\"}}]")};
	for (size_t i = 0; i < ARRAY_LEN(after); i++) {
		char *body = xasprintf(
		        "%s%s%s", DELTA("\"content\":\"x\"") FINISH, after[i], "data: [DONE]\n\n");
		stream(body, "content_after_DONE");
		free(body);
	}
	stream(DELTA("\"content\":\"x\"") FINISH
	        "data: {\"choices\":[],\"usage\":{\"completion_tokens\":1}}\n\ndata: [DONE]\n\n",
	        NULL);
	stream(DELTA("\"content\":\"x\"") FINISH DELTA("\"content\":\"\"") FINISH, NULL);
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
	unary(CALLS("{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":5}}"),
	        "tool_call.arguments");
	unary(CALLS("{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\\u0000x\"}}"),
	        "tool_call.arguments");
	unary(CALLS("{\"id\":\"c\",\"function\":{\"name\":7,\"arguments\":null}}"),
	        "tool_call.name");
	unary(MESSAGE("\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}],"
	              "\"function_call\":{\"name\":\"g\",\"arguments\":\"{}\"}"),
	        "message.function_call");
	unary(CALLS("{\"function\":{\"name\":\"f\",\"arguments\":\"{}\",\"parsed_arguments\":"
	            "{\"a\":1}}}"),
	        NULL);
	unary(CALLS("{\"id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\",\"extra_content\":"
	            "{\"google\":{\"thought_signature\":\"s\"}},\"provider_specific_fields\":"
	            "{\"thought_signature\":\"s\"}}"),
	        NULL);
	unary(CALLS("{\"name\":\"f\",\"arguments\":\"{}\",\"extra_content\":{\"a\":[\"b\"]}}"),
	        "tool_call.extra_content");
	unary(CALLS("{\"name\":\"f\",\"arguments\":\"{}\",\"provider_specific_fields\":{\"a\":"
	            "\"b\"}}"),
	        "tool_call.provider_specific_fields");
	unary(OUTPUT("{\"type\":\"function_call\",\"name\":\"f\",\"namespace\":\"n\",\"arguments\":"
	             "\"{}\"}"),
	        "output.namespace");
}

Test(unknown, a_stream_names_what_its_deltas_hold)
{
	stream(DELTA("\"content\":\"x\"") DELTA("\"audio\":{\"transcript\":\"Hi\"}")
	                DELTA("\"audio\":{\"transcript\":\"!\"}") FINISH,
	        "message.audio");
	stream("data: {\"choices\":[{\"index\":0,\"delta\":\"x\"}]}\n\n" FINISH, "choice.message");
	stream(DELTA("\"content\":\"x\",\"obfuscation\":\"abc\"") FINISH, NULL);
	stream("data: "
	       "{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}],\"token\":{\"id\":330,"
	       "\"text\":\"a\",\"logprob\":1,\"special\":false},\"generated_text\":null}\n\n",
	        NULL);
	stream(DELTA("\"token_id\":578,\"content\":\"x\",\"tool_calls\":null") FINISH, NULL);
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
	stream(EVENT("\"type\":\"response.output_text.delta\",\"item_id\":\"i\",\"output_index\":0,"
	             "\"delta\":\"x\",\"emotion\":\"calm\",\"obfuscation\":\"abc\""),
	        "emotion");
	stream(EVENT("\"type\":\"response.web_search_call.searching\",\"item_id\":\"i\","
	             "\"output_index\":0,\"sequence_number\":3"),
	        NULL);
}

/* An event that has a part whole must repeat the pieces. */
Test(unknown, a_whole_part_that_contradicts_its_pieces_is_named)
{
#define PIECE(kind, text)                                                                          \
	EVENT("\"type\":\"response." kind ".delta\",\"item_id\":\"i\",\"delta\":\"" text "\"")
#define DONE(kind, member, text)                                                                   \
	EVENT("\"type\":\"response." kind ".done\",\"item_id\":\"i\",\"" member "\":\"" text "\"")
	stream(PIECE("output_text", "An") PIECE("output_text", " answer")
	                DONE("output_text", "text", "An answer"),
	        NULL);
	stream(PIECE("output_text", "An") DONE("output_text", "text", "No"), "output");
	stream(PIECE("refusal", "An") DONE("refusal", "refusal", "No"), "output");
	stream(PIECE("reasoning_text", "An") DONE("reasoning_text", "text", "No"), "output");
	stream(PIECE("function_call_arguments", "{\\\"a\\\":1}")
	                DONE("function_call_arguments", "arguments", "{\\\"a\\\":1}"),
	        NULL);
	stream(PIECE("function_call_arguments", "{\\\"a\\\":1}")
	                DONE("function_call_arguments", "arguments", "{\\\"a\\\":2}"),
	        "tool_call.arguments");
	stream(PIECE("output_text", "An") EVENT(
	               "\"type\":\"response.output_item.done\",\"item\":{\"id\":\"i\",\"type\":"
	               "\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"No\"}]}"),
	        "output");
	unary("{\"object\":\"response\",\"status\":\"completed\",\"output\":\"x\"}", "output");
	stream("data: {\"token\":{\"id\":1,\"text\":\"An\",\"logprob\":-1},\"generated_text\":"
	       "\"No\",\"details\":{\"finish_reason\":\"length\"}}\n\n",
	        "choice.generated_text");
#undef PIECE
#undef DONE
}

Test(unknown, events_without_content_are_not_named)
{
	stream(EVENT("\"type\":\"keepalive\",\"sequence_number\":1")
	                EVENT("\"type\":\"response.output_text.delta\",\"output_index\":0,"
	                      "\"delta\":\"x\""),
	        NULL);
	stream(EVENT("\"type\":\"response.output_text.delta\",\"output_index\":0,"
	             "\"delta\":{\"text\":\"x\"}"),
	        "delta");
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
	unary("{\"model\":\"m\",\"response\":\"x\",\"done\":true,\"score\":1,\"load_duration\":5,"
	      "\"prompt_eval_count\":3,\"created_at\":\"t\"}",
	        "score");
	unary("{\"content\":\"x\",\"stop\":true,\"stop_type\":\"eos\",\"tokens_predicted\":1,"
	      "\"id_slot\":0,\"has_new_line\":true,\"truncated\":true,\"is_good\":true}",
	        "is_good");
	unary("{\"text\":\"x\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"},\"verdict\":7,"
	      "\"spec_accept_histogram\":[1],\"e2e_latency\":0.5,\"dp_rank\":1,\"note\":\"n\"}}",
	        "meta_info.verdict meta_info.note");
	unary("{\"generated_text\":\"x\",\"details\":{\"finish_reason\":\"length\",\"seed\":5,"
	      "\"is_safe\":true}}",
	        "details.is_safe");
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
