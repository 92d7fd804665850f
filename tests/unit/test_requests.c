#include "found_requests.h"
#include "capture/formats/line_members.h"

Test(requests, each_turn_of_a_person_is_a_request_with_what_was_said_before_it)
{
	static const char one[] =
	        "{\"id\":\"c1\",\"conversations\":[{\"from\":\"system\",\"value\":\"S\"},"
	        "{\"from\":\"human\",\"value\":\"a\\n\"},{\"from\":\"gpt\",\"value\":\"b\"},"
	        "{\"from\":\"human\",\"value\":\"c\"}]}";
	static const char found[] =
	        "2 " CHAT " [c1|] @0 {\"messages\":[{\"role\":\"system\",\"content\":\"S\"},"
	        "{\"role\":\"user\",\"content\":\"a\\n\"}]}\n"
	        "2 " CHAT " [c1|] @0 {\"messages\":[{\"role\":\"system\",\"content\":\"S\"},"
	        "{\"role\":\"user\",\"content\":\"a\\n\"},{\"role\":\"assistant\",\"content\":"
	        "\"b\"},"
	        "{\"role\":\"user\",\"content\":\"c\"}]}\n";
	char *list = xasprintf(
	        "[\n%s,\n{\"conversations\":[{\"from\":\"who\",\"value\":\"\"}]},\n7]", one);
	check("sharegpt", list, found,
	        "3: a turn is from an unknown role\n4: it is not a conversation\n", "");
	free(list);
	char *lines = xasprintf("\n%s\n", one);
	check("sharegpt", lines, found, "", "");
	free(lines);
}

#define SAID(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"

Test(requests, messages_that_end_with_an_answer_are_a_conversation)
{
	check("sharegpt",
	        "{\"messages\":[" SAID("user", "a") "," SAID("assistant", "b") "," SAID(
	                "user", "c") "," SAID("assistant",
	                "d") "]}\n"
	                     "{\"messages\":[" SAID("developer", "S") "," SAID("user",
	                             "e") "]}\n"
	                                  "{\"messages\":[" SAID("user",
	                                          "f") ",{\"role\":\"assistant\",\"content\":null,"
	                                               "\"tool_calls\":[{}]}]}\n{\"conversation\":["
	                                               "{\"role\":\"user\",\"content\":[]}]}\n",
	        "1 " CHAT " [|] @0 {\"messages\":[" SAID("user",
	                "a") "]}\n"
	                     "1 " CHAT " [|] @0 {\"messages\":[" SAID("user", "a") "," SAID(
	                             "assistant", "b") "," SAID("user",
	                             "c") "]}\n"
	                                  "2 " CHAT " [|] @0 {\"messages\":[" SAID(
	                                          "developer", "S") "," SAID("user",
	                                          "e") "]}\n"
	                                               "3 " CHAT " [|] @0 {\"messages\":[" SAID(
	                                                       "user", "f") "]}\n",
	        "3: a turn has tool calls, which are not read\n"
	        "4: the content of a turn is not a text\n",
	        "");
	/* These are requests. */
	static const char *const BODIES[] = {
	        "{\"messages\":[" SAID("assistant", "a") "," SAID("user", "b") "]}",
	        "{\"model\":\"m\",\"messages\":[" SAID("assistant", "a") "]}",
	        "{\"messages\":[" SAID("assistant", "a") "],\"max_tokens\":7}",
	        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"a\",\"prefix\":true}]}",
	};
	for (size_t i = 0; i < ARRAY_LEN(BODIES); i++) {
		cr_expect_not(line_is_conversation(span_of(BODIES[i])), "%s", BODIES[i]);
	}
}

#define HUMAN(text) "{\"from\":\"human\",\"value\":\"" text "\"}"

Test(requests, what_stands_beside_a_conversation_is_sent_with_it_or_told)
{
	check("sharegpt",
	        "[{\"conversations\":[" HUMAN(
	                "a") "],\"system\":\"S\",\"tools\":\"[{\\\"name\\\":"
	                     "\\\"f\\\"}]\"},\n"
	                     "{\"image\":\"a.png\",\"conversations\":[" HUMAN(
	                             "b") "]},\n"
	                                  "{\"conversations\":[" HUMAN(
	                                          "c") "],\"images\":[]},\n"
	                                               "{\"conversations\":[{\"from\":\"human\","
	                                               "\"value\":\"d\",\"audio\":\"d.wav\"}]},\n"
	                                               "{\"system\":\"S\",\"conversations\":[{"
	                                               "\"from\":\"system\",\"value\":\"T\"}"
	                                               "," HUMAN("e") "]},\n"
	                                                              "{\"id\":\"f\"}]",
	        "1 " CHAT
	        " [|] @0 {\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":"
	        "\"user\",\"content\":\"a\"}],\"tools\":[{\"type\":\"function\",\"function\":{"
	        "\"name\":"
	        "\"f\"}}]}\n"
	        "3 " CHAT " [|] @0 {\"messages\":[{\"role\":\"user\",\"content\":\"c\"}]}\n",
	        "2: its image can't be sent\n4: its audio can't be sent\n"
	        "5: a turn is from the system, and there is also a separate system message\n"
	        "6: it is not a conversation\n",
	        "");
}

Test(requests, what_stands_beside_a_prompt_is_sent_with_it_or_told)
{
	check("vllm",
	        "{\"prompt\":\"a\",\"output_tokens\":3,\"image_files\":[\"a.png\"]}\n"
	        "{\"prompt\":\"b\",\"output_tokens\":3,\"system_prompt\":\"S\",\"tools\":[{"
	        "\"name\":\"f\"}]}\n",
	        "2 " CHAT
	        " [|] @0 {\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":"
	        "\"user\",\"content\":\"b\"}],\"max_tokens\":3,\"tools\":[{\"type\":\"function\","
	        "\"function\":{\"name\":\"f\"}}]}\n",
	        "1: its image_files can't be sent\n", "");
	check("infer-check", "{\"text\":\"a\",\"category\":\"c\",\"image\":\"a.png\"}\n", "",
	        "1: its image can't be sent\n", "");
	check("mooncake",
	        "{\"text_input\":\"a\",\"images\":[\"a.png\"]}\n{\"text_input\":\"b\",\"system\":"
	        "\"S\"}\n",
	        "", "1: its images can't be sent\n2: its system can't be sent\n", "");
	check("evalscope", "{\"body\":{\"messages\":[]},\"image_files\":[\"a.png\"]}\n", "",
	        "1: its image_files can't be sent\n", "");
	check("azure",
	        "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2023-11-14 22:13:20,1,3,4\n"
	        "2023-11-14 22:13:20,x,3,4\n",
	        "",
	        "2: it had images, which the trace does not contain\n"
	        "3: it had images, which the trace does not contain\n",
	        "");
	check("lm-eval",
	        "{\"doc_id\":3,\"doc\":{},\"target\":\"4\",\"arguments\":{\"gen_args_0\":{\"arg_"
	        "0\":\"q\","
	        "\"arg_1\":{},\"arg_2\":{\"visual\":[\"a.png\"]}}},\"resps\":[[\"x\"]]}\n",
	        "", "1: its visual can't be sent\n", "");
}

Test(requests, the_chats_of_a_har_are_found_among_its_entries)
{
	check("har",
	        "{\"log\":{\"version\":\"1.2\",\"creator\":{},\"entries\":[\n"
	        "{\"startedDateTime\":\"2023-11-14T22:13:20.5Z\",\"request\":{\"method\":\"POST\","
	        "\"url\":"
	        "\"https://h:1/v1/chat/"
	        "completions?x=1\",\"postData\":{\"text\":\"{\\\"messages\\\":[]}\"}}},\n"
	        "{\"request\":{\"method\":\"GET\",\"url\":\"https://h/v1/models\"}},\n"
	        "{\"request\":{\"method\":\"POST\",\"url\":\"https://h/v1/completions\"}},\n{}]}}",
	        "2 " CHAT "?x=1 [|] @1700000000500000000 {\"messages\":[]}\n",
	        "5: an entry has no method or url\n",
	        "neither a chat nor a completion\nits body was not recorded\n");
}

#define MONKEYS "\n\xf0\x9f\x90\xb5\xf0\x9f\x99\x88\xf0\x9f\x99\x89\n"
#define POST "POST " CHAT " HTTP/1.1\r\nHost: h\r\n"

Test(requests, requests_of_goreplay_come_whole_chunked_or_not)
{
	check("gor",
	        "1 abc 1700000000000000001 0\n" POST
	        "Content-Length: 15\r\n\r\n{\"messages\":[]}" MONKEYS
	        "2 abc 1700000000000000002 5\nHTTP/1.1 200 OK\r\n\r\n{}" MONKEYS
	        "1 d 1700000000000000003 0\n" POST "Transfer-Encoding: chunked\r\n\r\n"
	        "5\r\n{\"pro\r\nA;x=y\r\nmpt\":\"hi\"}\r\n0\r\n\r\n" MONKEYS "1 e 5 0\n" POST
	        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"pro" MONKEYS
	        "1 f 5 0\nGET / HTTP/1.1\r\n\r\n" MONKEYS "nonsense" MONKEYS,
	        "1 " CHAT " [|] @1700000000000000001 {\"messages\":[]}\n"
	        "13 " CHAT " [|] @1700000000000000003 {\"prompt\":\"hi\"}\n",
	        "26: the chunks of a request are incomplete\n39: a record does not begin with its "
	        "kind, "
	        "id and time\n",
	        "neither a chat nor a completion\n");
}

Test(requests, lines_of_data_sets_and_workloads_are_requests)
{
	check("vllm",
	        "{\"prompt\":\"a\\n\",\"output_tokens\":7}\n\n{\"output_tokens\":7}\n{\"prompt\":"
	        "\"b\"}\n",
	        "1 " CHAT " [|] @0 "
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\\n\"}],\"max_tokens\":7}\n"
	        "4 " CHAT " [|] @0 {\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}\n",
	        "3: its prompt is missing\n", "");
	check("infer-check",
	        "{\"id\":\"i\",\"text\":\"a\",\"category\":\"logic\",\"max_tokens\":9}\n",
	        "1 " CHAT " [i|logic] @0 "
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"temperature\":0,"
	        "\"max_tokens\":9}\n",
	        "", "");
	check("evalscope",
	        "{\"body\":{\"messages\":[]},\"timestamp\":1.5,\"request_id\":\"r\"}\n"
	        "{\"body\":{\"prompt\":\"p\"},\"timestamp\":1700000001.25}\n{\"body\":3}\n{"
	        "\"body\":{}}\n",
	        "1 " CHAT " [r|] @1700000001500000000 {\"messages\":[]}\n"
	        "2 /v1/completions [|] @1700000001250000000 {\"prompt\":\"p\"}\n",
	        "3: its body is not a JSON object\n4: its body has neither messages nor a prompt\n",
	        "");
}

Test(requests, spans_of_generative_ai_are_chats)
{
	check("otel",
	        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[\n"
	        "{\"startTimeUnixNano\":\"1700000000000000009\",\"attributes\":["
	        "{\"key\":\"gen_ai.request.model\",\"value\":{\"stringValue\":\"m\"}},"
	        "{\"key\":\"gen_ai.request.max_tokens\",\"value\":{\"intValue\":\"12\"}},"
	        "{\"key\":\"gen_ai.request.temperature\",\"value\":{\"doubleValue\":0.5}},"
	        "{\"key\":\"gen_ai.input.messages\",\"value\":{\"stringValue\":\"[{\\\"role\\\":"
	        "\\\"user\\\",\\\"parts\\\":"
	        "[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"é\\\"}]}]\"}}]},\n"
	        "{\"attributes\":{\"gen_ai.prompt\":\"plain\"}},\n"
	        "{\"attributes\":[{\"key\":\"gen_ai.input.messages\",\"value\":{\"stringValue\":"
	        "\"[{\\\"role\\\":\\\"tool\\\",\\\"parts\\\":[{\\\"type\\\":\\\"tool_call\\\"}]}]"
	        "\"}}]},\n"
	        "{\"name\":\"GET\"},5]}]}]}\n{\"resourceSpans\":[]}\n",
	        "2 " CHAT " [|] @1700000000000000009 "
	        "{\"messages\":[{\"role\": \"user\", \"content\": \"é\"}],\"model\":\"m\","
	        "\"temperature\": 0.5, \"max_tokens\": 12}\n"
	        "3 " CHAT " [|] @0 {\"messages\":[{\"role\": \"user\", \"content\": "
	        "\"plain\"}]}\n",
	        "5: a span is not a JSON object\n",
	        "4: its messages have parts that are not supported: images, or tool calls outside "
	        "of a list of messages\nthe span has no messages\n");
}

#define RESULT(by, text)                                                                           \
	"{\"backend_name\":\"" by "\",\"model_id\":\"m\",\"text\":\"" text                         \
	"\",\"latency_ms\":5,\"metadata\":{\"prompt_text\":\"why\\n\",\"prompt_category\":\"c\"}}"

Test(requests, results_tell_what_was_asked_and_each_prompt_is_one_request)
{
	check("infer-check",
	        "[{\"baseline\":" RESULT("a", "x") ",\"test\":" RESULT(
	                "b", "y") "},\n"
	                          "{\"baseline\":" RESULT("a", "x") ",\"test\":5}]",
	        "1 " CHAT
	        " [|c] @0 {\"temperature\":0,\"messages\":[{\"role\":\"user\",\"content\":"
	        "\"why\\n\"}]}\n",
	        "2: a result is not a JSON object\n", "");
	check("infer-check", "[{\"determinism_score\":1,\"num_runs\":5,\"prompt_id\":\"p\"}]", "",
	        "", "a determinism result has counts and no answers\n");
	check("lm-eval",
	        "{\"doc_id\":3,\"doc\":{},\"target\":\"4\",\"arguments\":{\"gen_args_0\":{\"arg_"
	        "0\":"
	        "\"2+2=\",\"arg_1\":{\"until\":[\"\\n\"],\"max_gen_toks\":9}}},\"resps\":[[\"4\","
	        "\"5\"]]}\n"
	        "{\"doc_id\":4,\"arguments\":{\"g\":{\"arg_0\":\"x\",\"arg_1\":\"y\"}},\"resps\":[["
	        "[\"-1\","
	        "\"False\"]]]}\n{\"doc_id\":5}\n",
	        "1 /v1/completions [3|] @0 {\"temperature\":0,\"max_tokens\":9,\"stop\":[\"\\n\"],"
	        "\"prompt\":\"2+2=\"}\n",
	        "3: its arguments or resps are missing\n", "a loglikelihood is not an answer\n");
}

Test(requests, answers_without_their_requests_are_told_as_such)
{
	const struct input_format *f =
	        format_of("{\"id\":\"x\",\"custom_id\":\"a\",\"response\":{\"body\":{}}}");
	cr_assert(f && f->instead && strstr(f->instead, "--requests"));
}

Test(requests, bodies_a_line_are_left_to_their_own_reader)
{
	static const char *const others[] = {"{\"messages\":[]}", "{\"prompt\":\"x\"}",
	        "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":{}}",
	        "", "[]", "{\"model\":\"m\",\"messages\":[],\"prompt\":\"p\"}"};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_expect_null(format_of(others[i]), "%s", others[i]);
	}
}
