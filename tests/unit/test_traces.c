/* Traces: files of the times and lengths of requests, and some with their texts. */
#include "found_requests.h"
#include "capture/formats/filler.h"

static size_t words_of(const char *line)
{
	const char *from = strstr(line, "\"prompt\":\"") + 10;
	size_t n = 0;
	for (; *from != '"'; from++) {
		n += *from == ' ';
	}
	return n;
}

Test(traces, lengths_become_prompts_of_as_many_words_at_their_times)
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

Test(traces, prompts_that_share_blocks_share_their_beginnings)
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

/* AIPerf's other forms of a request. */
Test(traces, an_aiperf_trace_may_hold_texts_tools_and_further_members)
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

Test(traces, a_member_that_is_there_and_wrong_is_told_and_a_missing_one_is_not)
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
Test(traces, times_are_those_that_are_written)
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

Test(traces, columns_are_found_by_their_names)
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

Test(traces, the_columns_are_named_by_the_first_line_that_is_not_empty)
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

Test(traces, a_table_without_a_needed_column_is_refused_once)
{
	static const struct {
		const struct input_format *format;
		const char *text, *bad;
	} rows[] = {
	        {&input_format_burstgpt, "\nTimestamp,Model,Response tokens\n5,m,18\n6,m,7\n",
	                "2: it is the header, and it lacks the column \"Request tokens\": "
	                "no rows are read\n"},
	        {&input_format_azure, "2023-11-14 22:13:20,0,4\n2023-11-14 22:13:21,0,4\n",
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

Test(traces, a_burstgpt_row_of_a_failed_request_is_counted_and_not_sent)
{
	check("burstgpt",
	        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
	        "5,GPT-4,0,0,0,API log\n6,GPT-4,7,0,7,API log\n",
	        "", "",
	        "the request failed when it was recorded: it has no response tokens\n"
	        "the request failed when it was recorded: it has no response tokens\n");
}

Test(traces, a_lines_own_parameters_are_sent)
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

Test(traces, turns_of_a_session_have_its_history_where_they_tell_what_is_new)
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

Test(traces, chats_of_bailian_count_seconds_and_follow_the_chats_before_them)
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

Test(traces, prompts_of_bailian_share_blocks_of_16_tokens)
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
Test(traces, a_trace_that_contradicts_its_units_is_not_sent_until_they_are_given)
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
