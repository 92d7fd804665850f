#include "capture/formats/request_formats.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/json.h"
#include "base/mem.h"
#include "capture/formats/filler.h"
#include "capture/formats/line_members.h"

#define EPOCH UINT64_C(1700000000000000000)

struct result {
	struct buf found, bad, unfit;
};

static void on_request(void *arg, const struct request_found *r)
{
	struct result *h = arg;
	buf_printf(&h->found, "%llu %.*s [%.*s|%.*s] @%llu ", (unsigned long long)r->line,
	        (int)r->target.len, r->target.data, (int)r->item.len, r->item.data,
	        (int)r->category.len, r->category.data, (unsigned long long)r->wall_ns);
	if (r->session.len) {
		buf_printf(&h->found, "%.*s#%u+%llu %s", (int)r->session.len, r->session.data,
		        r->turn, (unsigned long long)r->delay_ns, r->history_open ? "open " : "");
	}
	buf_printf(&h->found, "%.*s\n", (int)r->body.len, r->body.data);
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	buf_printf(&((struct result *)arg)->bad, "%llu: %s\n", (unsigned long long)line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	if (line) {
		buf_printf(&((struct result *)arg)->unfit, "%llu: ", (unsigned long long)line);
	}
	buf_printf(&((struct result *)arg)->unfit, "%s\n", why);
}

static struct result read_as(
        const struct request_format *format, const char *text, struct trace_units units)
{
	struct result h = {0};
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	const struct format_sink sink = {
	        .request = on_request, .bad = on_bad, .unfit = on_unfit, .arg = &h};
	const struct format_file f = {
	        .file = file, .name = SPAN("file"), .time_ns = EPOCH, .units = units};
	cr_assert_eq(request_format_read(format, &f, &sink), 0);
	fclose(file);
	return h;
}

static struct result read_with_units(const char *text, const char *name, struct trace_units units)
{
	struct sniff *s = xcalloc(1, sizeof(*s));
	sniff_bytes(s, span_of(text));
	const struct request_format *format = request_format_of(s);
	cr_assert(format, "%s", text);
	cr_expect_str_eq(format->name, name);
	sniff_finish(s);
	free(s);
	return read_as(format, text, units);
}

static struct result read_text(const char *text, const char *name)
{
	return read_with_units(text, name, (struct trace_units){0});
}

static void check(
        const char *name, const char *text, const char *found, const char *bad, const char *unfit)
{
	struct result h = read_text(text, name);
	cr_expect_str_eq(buf_cstr(&h.found), found);
	cr_expect_str_eq(buf_cstr(&h.bad), bad);
	cr_expect_str_eq(buf_cstr(&h.unfit), unfit);
	buf_finish(&h.found);
	buf_finish(&h.bad);
	buf_finish(&h.unfit);
}

#define CHAT "/v1/chat/completions"
#define COMPLETION "/v1/completions"

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
	check("infer-check-results",
	        "[{\"baseline\":" RESULT("a", "x") ",\"test\":" RESULT(
	                "b", "y") "},\n"
	                          "{\"baseline\":" RESULT("a", "x") ",\"test\":5}]",
	        "1 " CHAT
	        " [|c] @0 {\"temperature\":0,\"messages\":[{\"role\":\"user\",\"content\":"
	        "\"why\\n\"}]}\n",
	        "2: a result is not a JSON object\n", "");
	check("infer-check-results",
	        "[{\"determinism_score\":1,\"num_runs\":5,\"prompt_id\":\"p\"}]", "", "",
	        "a determinism result has counts and no answers\n");
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
	struct sniff *s = xcalloc(1, sizeof(*s));
	sniff_bytes(s, SPAN("{\"id\":\"x\",\"custom_id\":\"a\",\"response\":{\"body\":{}}}"));
	const struct request_format *f = request_format_of(s);
	cr_assert(f && f->instead && strstr(f->instead, "--requests"));
	sniff_finish(s);
	free(s);
}

static size_t words_of(const char *line)
{
	const char *from = strstr(line, "\"prompt\":\"") + 10;
	size_t n = 0;
	for (; *from != '"'; from++) {
		n += *from == ' ';
	}
	return n;
}

Test(requests, lengths_become_prompts_of_as_many_words_at_their_times)
{
	static const struct {
		const char *name, *text;
		size_t words[2];
		uint64_t at[2];
		const char *tail[2], *bad;
	} rows[] = {
	        {"mooncake",
	                "{\"timestamp\":0,\"input_length\":1000,\"output_length\":3,\"hash_ids\":["
	                "1,2]}\n"
	                "{\"timestamp\":250,\"input_length\":10,\"output_length\":0,\"hash_ids\":["
	                "1]}\n{}\n",
	                {1000, 10}, {EPOCH, EPOCH + 250000000},
	                {"\"max_tokens\":3}", "\"max_tokens\":1}"},
	                "3: its input_length is missing, or over a million\n"},
	        {"burstgpt",
	                "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	                "5,ChatGPT,472,18,490,Conversation log\n7.5,GPT-4,3,1,4,API log\n1,2\n",
	                {472, 3}, {EPOCH + UINT64_C(5000000000), EPOCH + UINT64_C(7500000000)},
	                {"\"max_tokens\":18}", "\"max_tokens\":1}"},
	                "4: it has fewer columns than the header names\n"},
	        {"azure",
	                "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-14 "
	                "22:13:20.5000000,374,44\n"
	                "2023-11-14 22:13:21,1,9\nnever,1,2\n",
	                {374, 1}, {EPOCH + 500000000, EPOCH + UINT64_C(1000000000)},
	                {"\"max_tokens\":44}", "\"max_tokens\":9}"},
	                "4: its timestamp is not a time\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct result h = read_text(rows[i].text, rows[i].name);
		char *line = strtok((char *)buf_cstr(&h.found), "\n");
		for (size_t k = 0; k < 2; k++, line = strtok(NULL, "\n")) {
			cr_assert(line, "%s %zu", rows[i].name, k);
			char *at = xasprintf("@%llu ", (unsigned long long)rows[i].at[k]);
			cr_expect(strstr(line, at), "%s: %.60s", at, line);
			cr_expect_eq(words_of(line), rows[i].words[k], "%s", rows[i].name);
			cr_expect(strstr(line, rows[i].tail[k]), "%s", rows[i].name);
			free(at);
		}
		cr_expect_null(line);
		cr_expect_str_eq(buf_cstr(&h.bad), rows[i].bad);
		buf_finish(&h.found);
		buf_finish(&h.bad);
		buf_finish(&h.unfit);
	}
}

Test(requests, prompts_that_share_blocks_share_their_beginnings)
{
	struct buf a = {0}, b = {0};
	filler_words(&a, 1, 512);
	filler_words(&b, 1, 600);
	cr_assert_eq(memcmp(a.data, b.data, a.len), 0);
	buf_clear(&b);
	filler_words(&b, 2, 512);
	cr_assert_neq(memcmp(a.data, b.data, 200), 0);
	buf_finish(&a);
	buf_finish(&b);
}

Test(requests, bodies_a_line_are_left_to_their_own_reader)
{
	static const char *const others[] = {"{\"messages\":[]}", "{\"prompt\":\"x\"}",
	        "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":{}}",
	        "", "[]", "{\"model\":\"m\",\"messages\":[],\"prompt\":\"p\"}"};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct sniff *s = xcalloc(1, sizeof(*s));
		sniff_bytes(s, span_of(others[i]));
		cr_expect_null(request_format_of(s), "%s", others[i]);
		sniff_finish(s);
		free(s);
	}
}

/* AIPerf's other forms of a request. */
Test(requests, an_aiperf_trace_may_hold_texts_tools_and_further_members)
{
	check("mooncake",
	        "{\"timestamp\":1,\"text_input\":\"a \\\"b\\\"\",\"output_length\":4}\n"
	        "{\"timestamp\":2,\"messages\":[1],\"tools\":[2],\"extra\":{ \"seed\" : 3 }}\n"
	        "{\"timestamp\":3,\"messages\":[1],\"extra\":{ }}\n"
	        "{\"timestamp\":4,\"text_input\":5}\n",
	        "1 /v1/chat/completions [|] @1700000000001000000 "
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a "
	        "\\\"b\\\"\"}],\"max_tokens\":4}\n"
	        "2 /v1/chat/completions [|] @1700000000002000000 "
	        "{\"messages\":[1],\"tools\":[2], \"seed\" : 3 }\n"
	        "3 /v1/chat/completions [|] @1700000000003000000 {\"messages\":[1]}\n",
	        "4: its text_input is not a text\n", "");
}

Test(requests, a_member_that_is_there_and_wrong_is_told_and_a_missing_one_is_not)
{
	check("mooncake",
	        "{\"timestamp\":1,\"text_input\":\"a\",\"output_length\":\"x\"}\n"
	        "{\"timestamp\":\"z\",\"text_input\":\"a\"}\n{\"text_input\":\"a\",\"output_"
	        "length\":null}\n"
	        "{\"input_length\":9,\"hash_ids\":[1,\"x\"]}\n{\"input_length\":-3}\n{\"messages\":"
	        "5}\n"
	        "{\"text_input\":\"b\",\"output_length\":4.0}\n{\"text_input\":\"b\",\"session_"
	        "id\":\"s\",\"delay\":-1}\n",
	        "3 " CHAT " [|] @0 {\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"
	        "7 " CHAT
	        " [|] @0 {\"messages\":[{\"role\":\"user\",\"content\":\"b\"}],\"max_tokens\":4}\n",
	        "1: its output_length is not a count\n2: its timestamp is not a number of "
	        "milliseconds\n"
	        "4: its hash_ids are not a list of numbers\n5: its input_length is missing, or "
	        "over a "
	        "million\n"
	        "6: its messages are not a list\n8: its delay is not a number of milliseconds\n",
	        "");
	check("evalscope",
	        "{\"body\":{\"messages\":[]},\"timestamp\":\"z\"}\n{\"body\":{\"messages\":[]}}\n",
	        "2 " CHAT " [|] @0 {\"messages\":[]}\n",
	        "1: its timestamp is not a number of seconds\n", "");
	check("vllm", "{\"prompt\":\"a\",\"output_tokens\":\"many\"}\n", "",
	        "1: its output_tokens is not a count\n", "");
}

/* No double is 94.107: cut off instead of rounded, it is told as 94.106 the next time. */
Test(requests, times_are_those_that_are_written)
{
	check("mooncake",
	        "{\"timestamp\":94.107,\"payload\":{\"messages\":[]}}\n"
	        "{\"timestamp\":197.223,\"payload\":{\"messages\":[]}}\n",
	        "1 " CHAT " [|] @1700000000094107000 {\"messages\":[]}\n"
	        "2 " CHAT " [|] @1700000000197223000 {\"messages\":[]}\n",
	        "", "");
	check("evalscope", "{\"body\":{\"messages\":[]},\"timestamp\":0.094107602}\n",
	        "1 " CHAT " [|] @1700000000094107602 {\"messages\":[]}\n", "", "");
}

Test(requests, columns_are_found_by_their_names)
{
	check("burstgpt",
	        "\"\",\"Timestamp\",\"Response tokens\",\"Model\",\"Request tokens\"\r\n"
	        "\"0\",\"5\",\"18.0\",\"GPT-4\",\"0\"\r\n1,6,2,GPT-4\r\n",
	        "2 " COMPLETION " [|] @1700000005000000000 {\"prompt\":\"\",\"max_tokens\":18}\n",
	        "3: it has fewer columns than the header names\n", "");
	check("azure", "timestamp,ContextTokens,GeneratedTokens,Model\n2023-11-14 22:13:20,0,4,m\n",
	        "2 " COMPLETION " [|] @1700000000000000000 {\"prompt\":\"\",\"max_tokens\":4}\n",
	        "", "");
}

Test(requests, the_columns_are_named_by_the_first_line_that_is_not_empty)
{
	check("burstgpt",
	        "\n \nTimestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	        "5,GPT-4,0,18,18,API log\n",
	        "4 " COMPLETION " [|] @1700000005000000000 {\"prompt\":\"\",\"max_tokens\":18}\n",
	        "", "");
	check("azure", "\nTIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-14 22:13:20,0,4\n",
	        "3 " COMPLETION " [|] @1700000000000000000 {\"prompt\":\"\",\"max_tokens\":4}\n",
	        "", "");
}

Test(requests, a_table_without_a_needed_column_is_refused_once)
{
	static const struct {
		const struct request_format *format;
		const char *text, *bad;
	} rows[] = {
	        {&request_format_burstgpt, "\nTimestamp,Model,Response tokens\n5,m,18\n6,m,7\n",
	                "2: it is the header, and it lacks the column \"Request tokens\": "
	                "no rows are read\n"},
	        {&request_format_azure, "2023-11-14 22:13:20,0,4\n2023-11-14 22:13:21,0,4\n",
	                "1: it is the header, and it lacks the column \"TIMESTAMP\": "
	                "no rows are read\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct result h = read_as(rows[i].format, rows[i].text, (struct trace_units){0});
		cr_expect_str_eq(buf_cstr(&h.found), "");
		cr_expect_str_eq(buf_cstr(&h.bad), rows[i].bad);
		cr_expect_str_eq(buf_cstr(&h.unfit), "");
		buf_finish(&h.found);
		buf_finish(&h.bad);
		buf_finish(&h.unfit);
	}
}

Test(requests, a_burstgpt_row_of_a_failed_request_is_counted_and_not_sent)
{
	check("burstgpt",
	        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	        "5,GPT-4,0,0,0,API log\n6,GPT-4,7,0,7,API log\n",
	        "", "",
	        "the request failed when it was recorded: it has no response tokens\n"
	        "the request failed when it was recorded: it has no response tokens\n");
}

Test(requests, a_lines_own_parameters_are_sent)
{
	check("mooncake",
	        "{\"session_id\":\"a\",\"model\":\"m\",\"messages\":[],\"temperature\":0.7,"
	        "\"max_tokens\":5,\"stop\":null,\"answer\":\"x\"}\n"
	        "{\"timestamp\":5,\"text_input\":\"b\",\"max_tokens\":5,\"output_length\":7,"
	        "\"seed\":3}\n",
	        "1 " CHAT " [a|] @0 a#1+0 {\"messages\":[],\"model\":\"m\",\"temperature\":0.7,"
	        "\"max_tokens\":5}\n"
	        "2 " CHAT " [|] @1700000000005000000 {\"messages\":[{\"role\":\"user\",\"content\":"
	        "\"b\"}],\"seed\":3,\"max_tokens\":7}\n",
	        "", "");
}

#define SAYS(role, text) "{\"role\":\"" role "\",\"content\":\"" text "\"}"

Test(requests, turns_of_a_session_have_its_history_where_they_tell_what_is_new)
{
	check("mooncake",
	        "{\"timestamp\":5,\"session_id\":\"a\",\"messages\":[" SAYS(
	                "user", "1") "]}\n"
	                             "{\"session_id\":\"b\",\"text_input\":\"x\"}\n"
	                             "{\"session_id\":\"a\",\"delay\":500,\"message_mode\":"
	                             "\"delta\",\"messages\":[" SAYS("user",
	                                     "2") "]}\n"
	                                          "{\"session_id\":\"b\",\"text_input\":\"y\"}\n"
	                                          "{\"session_id\":\"a\",\"messages\":[" SAYS(
	                                                  "user", "3") "]}\n",
	        "1 " CHAT " [a|] @1700000000005000000 a#1+0 {\"messages\":[" SAYS("user",
	                "1") "]}\n"
	                     "2 " CHAT " [b|] @0 b#1+0 {\"messages\":[" SAYS("user",
	                             "x") "]}\n"
	                                  "3 " CHAT " [a|] @1700000000505000000 a#2+500000000 open "
	                                  "{\"messages\":[" SAYS("user", "1") "," SAYS(
	                                          "assistant", "") "," SAYS("user",
	                                          "2") "]}\n"
	                                               "4 " CHAT
	                                               " [b|] @0 b#2+0 open {\"messages\":[" SAYS(
	                                                       "user", "x") "," SAYS("assistant",
	                                                       "") "," SAYS("user",
	                                                       "y") "]}\n"
	                                                            "5 " CHAT
	                                                            " [a|] @1700000000505000000 "
	                                                            "a#3+0 {\"messages\":[" SAYS(
	                                                                    "user", "3") "]}\n",
	        "", "");
}

static void check_heads(const char *name, const char *text, struct trace_units units,
        const char *found, const char *bad)
{
	struct result h = read_with_units(text, name, units);
	struct buf heads = {0};
	for (char *line = strtok((char *)buf_cstr(&h.found), "\n"); line;
	        line = strtok(NULL, "\n")) {
		char *body = strchr(line, '{');
		buf_printf(&heads, "%.*s%zu words\n", (int)(body - line), line, words_of(body));
	}
	cr_expect_str_eq(buf_cstr(&heads), found);
	cr_expect_str_eq(buf_cstr(&h.bad), bad);
	buf_finish(&heads);
	buf_finish(&h.found);
	buf_finish(&h.bad);
	buf_finish(&h.unfit);
}

#define LENGTHS "\"output_length\":4,\"type\":\"text\",\"turn\":1"

Test(requests, chats_of_bailian_count_seconds_and_follow_the_chats_before_them)
{
	check_heads("bailian",
	        "{\"chat_id\":7,\"parent_chat_id\":-1,\"timestamp\":0.4,\"input_length\":"
	        "33," LENGTHS ",\"hash_ids\":[1,2,3]}\n"
	        "{\"chat_id\":8,\"parent_chat_id\":3,\"timestamp\":1,\"input_length\":16," LENGTHS
	        ",\"hash_ids\":[9]}\n"
	        "{\"chat_id\":9,\"parent_chat_id\":7,\"timestamp\":61.114,\"input_length\":"
	        "48," LENGTHS ",\"hash_ids\":[1,2,4]}\n"
	        "{\"chat_id\":10,\"parent_chat_id\":9,\"timestamp\":\"x\"}\n"
	        "{\"chat_id\":11,\"parent_chat_id\":10,\"timestamp\":70,\"input_length\":4," LENGTHS
	        ",\"hash_ids\":[]}\n"
	        "{\"chat_id\":12,\"parent_chat_id\":3,\"timestamp\":71,\"input_length\":4," LENGTHS
	        ",\"hash_ids\":[5]}\n"
	        "{\"chat_id\":\"z\",\"parent_chat_id\":3,\"timestamp\":72,\"input_length\":4}\n",
	        (struct trace_units){0},
	        "1 " COMPLETION " [7|] @1700000000400000000 7#1+0 33 words\n"
	        "2 " COMPLETION " [3|] @1700000001000000000 3#1+0 16 words\n"
	        "3 " COMPLETION " [7|] @1700000061114000000 7#2+0 48 words\n"
	        "5 " COMPLETION " [7|] @1700000070000000000 7#4+0 4 words\n"
	        "6 " COMPLETION " [3|] @1700000071000000000 3#2+0 4 words\n",
	        "4: its timestamp is not a number of seconds\n7: its chat_id is not a number\n");
}

Test(requests, prompts_of_bailian_share_blocks_of_16_tokens)
{
	struct result h = read_text(
	        "{\"chat_id\":1,\"parent_chat_id\":-1,\"timestamp\":0,\"input_length\":32,\"hash_"
	        "ids\":"
	        "[1,2]}\n{\"chat_id\":2,\"parent_chat_id\":-1,\"timestamp\":0,\"input_length\":32,"
	        "\"hash_ids\":[1,3]}\n",
	        "bailian");
	const char *one = strstr(buf_cstr(&h.found), "\"prompt\":\"");
	const char *two = strstr(one + 1, "\"prompt\":\"");
	struct buf block = {0};
	filler_words(&block, 1, 16);
	one += strlen("\"prompt\":\"");
	two += strlen("\"prompt\":\"");
	cr_expect_eq(strncmp(one, buf_cstr(&block), block.len), 0);
	cr_expect_eq(strncmp(two, buf_cstr(&block), block.len), 0);
	cr_expect_neq(strncmp(one, two, block.len + 20), 0);
	buf_finish(&block);
	buf_finish(&h.found);
	buf_finish(&h.bad);
	buf_finish(&h.unfit);
}

#define LINE(time, input, ids)                                                                     \
	"{\"timestamp\":" time ",\"input_length\":" input ",\"hash_ids\":[" ids "]}\n"
#define CHAINED(time, input, ids)                                                                  \
	"{\"chat_id\":1,\"parent_chat_id\":-1,\"timestamp\":" time ",\"input_length\":" input      \
	",\"hash_ids\":[" ids "]}\n"

/* A wrong guess sends a thousand times too fast: nothing is sent before the unit is given. */
Test(requests, a_trace_that_contradicts_its_units_is_not_sent_until_they_are_given)
{
	static const struct {
		const char *name, *text, *doubt;
		struct trace_units stated;
		const char *found;
	} rows[] = {
	        {"mooncake", LINE("1", "9", "1") LINE("2.5", "9", "1") LINE("3.5", "9", "1"),
	                "2: its timestamp has a fraction and may be seconds: give --time-unit s "
	                "or ms\n",
	                {1000000000, 0},
	                "1 " COMPLETION " [|] @1700000001000000000 9 words\n"
	                "2 " COMPLETION " [|] @1700000002500000000 9 words\n"
	                "3 " COMPLETION " [|] @1700000003500000000 9 words\n"},
	        {"mooncake", LINE("2.5", "9", "1"),
	                "1: its timestamp has a fraction and may be seconds: give --time-unit s "
	                "or ms\n",
	                {1000000, 0}, "1 " COMPLETION " [|] @1700000000002500000 9 words\n"},
	        {"mooncake", LINE("1700000005", "9", "1"),
	                "1: its timestamp may be seconds since 1970: give --time-unit s or ms\n",
	                {1000000000, 0}, "1 " COMPLETION " [|] @1700000005000000000 9 words\n"},
	        {"mooncake", LINE("1", "40", "1,2,3"),
	                "1: its hash_ids are not one for each 512 tokens: give their number of "
	                "tokens with --block-tokens N\n",
	                {0, 16}, "1 " COMPLETION " [|] @1700000000001000000 40 words\n"},
	        {"bailian", CHAINED("1", "600", "1,2"),
	                "1: its hash_ids are not one for each 16 tokens, as in Bailian's traces: "
	                "give their number of tokens with --block-tokens N, and --time-unit s or "
	                "ms\n",
	                {1000000, 512},
	                "1 " COMPLETION " [1|] @1700000000001000000 1#1+0 600 words\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		check_heads(rows[i].name, rows[i].text, (struct trace_units){0}, "", rows[i].doubt);
		check_heads(rows[i].name, rows[i].text, rows[i].stated, rows[i].found, "");
	}
	check_heads("bailian", CHAINED("1", "600", "1,2"), (struct trace_units){0, 512}, "",
	        "1: a trace with other blocks than Bailian's may have another unit of time: give "
	        "--time-unit s or ms\n");
}
