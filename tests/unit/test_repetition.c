#include <criterion/criterion.h>

#include "tests/unit/readings.h"

/* Repeated content of a stream counts once. */

#define AT(inside) "data: {\"choices\":[{\"index\":0," inside "}]}\n\n"
#define ENDED ",\"finish_reason\":\"stop\""
#define DONE "data: [DONE]\n\n"
#define RESPONSE(inside) "data: {" inside "}\n\n"
#define LOGPROB(token) "{\"token\":\"" token "\",\"logprob\":-0.5}"

static void check(const char *body, const char *text, const char *reasoning, const char *unknown)
{
	struct reading *r = read_stream(body);
	cr_assert_eq(r->n_choices, 1, "%s", body);
	assert_text(&r->choices[0].text, text);
	assert_text(&r->choices[0].reasoning, reasoning);
	cr_assert_eq((r->marks & READING_UNKNOWN_MEMBERS) != 0, unknown != NULL, "%s", body);
	cr_assert(!unknown || strcmp(r->unknown, unknown) == 0, "%s: %s", body, r->unknown);
	cr_assert_eq(r->marks & READING_TOKENS_MISSPELL, 0, "%s", body);
	reading_destroy(r);
}

Test(repetition, a_text_beside_a_delta_counts_once)
{
	check(AT("\"text\":\"An\",\"delta\":{\"content\":\"An\"}")
	                AT("\"text\":\" answer\",\"delta\":{\"content\":\" answer\"}" ENDED) DONE,
	        "An answer", "", NULL);
	check(AT("\"delta\":{\"content\":\"An\"},\"text\":\"An\"")
	                AT("\"delta\":{\"content\":\" answer\"},\"text\":\"An answer\"" ENDED) DONE,
	        "An answer", "", NULL);
}

Test(repetition, a_text_is_read_where_the_deltas_hold_none)
{
	check(AT("\"delta\":{\"role\":\"assistant\"},\"text\":\"An\"")
	                AT("\"delta\":{},\"text\":\" answer\"" ENDED) DONE,
	        "An answer", "", NULL);
}

Test(repetition, a_message_beside_each_delta_counts_once)
{
	check(AT("\"delta\":{\"content\":\"An\"},\"message\":{\"content\":\"An\"}")
	                AT("\"delta\":{\"content\":\" answer\"},\"message\":{\"content\":\" "
	                   "answer\"}" ENDED) DONE,
	        "An answer", "", NULL);
	check(AT("\"message\":{\"content\":\"An\"},\"delta\":{\"content\":\"An\"}")
	                AT("\"message\":{\"content\":\"An answer\"},\"delta\":{\"content\":\" "
	                   "answer\"}" ENDED) DONE,
	        "An answer", "", NULL);
}

Test(repetition, a_last_event_that_holds_all_again_counts_once)
{
	check(AT("\"delta\":{\"reasoning_content\":\"Hm.\"}") AT("\"delta\":{\"content\":\"An\"}")
	                AT("\"delta\":{\"content\":\" answer\"}") AT(
	                        "\"message\":{\"role\":\"assistant\",\"reasoning_content\":\"Hm.\","
	                        "\"content\":\"An answer\"}" ENDED) DONE,
	        "An answer", "Hm.", NULL);
	check(AT("\"delta\":{\"content\":\"One long\"}")
	                AT("\"delta\":{\"content\":\" answer here\"}")
	                        AT("\"delta\":{\"content\":\"One long answer here\"}" ENDED) DONE,
	        "One long answer here", "", NULL);
	check(AT("\"text\":\"One long\"") AT("\"text\":\" answer here\"")
	                AT("\"text\":\"One long answer here\"" ENDED) DONE,
	        "One long answer here", "", NULL);
}

Test(repetition, what_the_last_message_alone_holds_is_read)
{
	struct reading *r = read_stream(AT("\"delta\":{\"content\":\"An\"}") AT(
	        "\"message\":{\"content\":\"An\",\"tool_calls\":[{\"id\":\"c\",\"function\":"
	        "{\"name\":\"f\",\"arguments\":\"{}\"}}]}" ENDED) DONE);
	assert_text(&r->choices[0].text, "An");
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	reading_destroy(r);
}

Test(repetition, calls_that_are_told_again_count_once)
{
#define CALL                                                                                       \
	"{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}}"
	static const char *const bodies[] = {
	        AT("\"delta\":{\"tool_calls\":[" CALL "]}")
	                AT("\"message\":{\"tool_calls\":[" CALL "]}" ENDED) DONE,
	        /* again without the id */
	        AT("\"delta\":{\"tool_calls\":[" CALL "]}")
	                AT("\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\","
	                   "\"arguments\":\"{\\\"a\\\":1}\"}}]}" ENDED) DONE,
	        /* all arguments so far with each event */
	        AT("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":"
	           "\"f\",\"arguments\":\"{\"}}]}")
	                AT("\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
	                   "\"{\\\"a\\\"\"}}]}") AT("\"delta\":{\"tool_calls\":[" CALL "]}" ENDED)
	                        DONE,
	        AT("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":"
	           "\"f\","
	           "\"arguments\":\"{\\\"a\\\"\"}}]}") AT("\"delta\":{\"tool_calls\":[{\"index\":0,"
	                                                  "\"function\":{\"arguments\":\":1}\"}}]}")
	                AT("\"delta\":{\"tool_calls\":[" CALL "]}" ENDED) DONE,
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct reading *r = read_stream(bodies[i]);
		cr_assert_eq(r->choices[0].n_calls, 1, "%zu", i);
		cr_assert_str_eq(r->choices[0].calls[0].arguments, "{\"a\":1}", "%zu", i);
		cr_assert_null(r->unknown, "%zu", i);
		reading_destroy(r);
	}
}

Test(repetition, a_repetition_that_says_another_thing_is_marked)
{
	check(AT("\"delta\":{\"content\":\"An answer\"}")
	                AT("\"message\":{\"content\":\"Another one\"}" ENDED) DONE,
	        "An answer", "", "choice.message");
	check(AT("\"delta\":{\"content\":\"An\"},\"text\":\"No\"" ENDED) DONE, "An", "",
	        "choice.text");
}

Test(repetition, messages_of_a_stream_are_pieces_or_hold_all_so_far)
{
	check(AT("\"message\":{\"content\":\"An\"}") AT("\"message\":{\"content\":\" answer\"}")
	                AT("\"message\":{\"content\":\" is given.\"}" ENDED) DONE,
	        "An answer is given.", "", NULL);
	check(AT("\"message\":{\"content\":\"An\",\"reasoning\":\"So\"}")
	                AT("\"message\":{\"content\":\"An answer\",\"reasoning\":\"So\"}")
	                        AT("\"message\":{\"content\":\"An answer is "
	                           "given.\",\"reasoning\":\"So\"}" ENDED) DONE,
	        "An answer is given.", "So", NULL);
}

#define SO_FAR_1 "It is forty-two,"
#define SO_FAR_2 SO_FAR_1 " as everyone"
#define SO_FAR_3 SO_FAR_2 " knows."

Test(repetition, deltas_that_each_hold_all_text_so_far_count_once)
{
	check(AT("\"delta\":{\"content\":\"It\"}") AT("\"delta\":{\"content\":\"" SO_FAR_1 "\"}")
	                AT("\"delta\":{\"content\":\"" SO_FAR_2 "\"}") AT("\"delta\":{}")
	                        AT("\"delta\":{\"content\":\"" SO_FAR_3 "\"}" ENDED) DONE,
	        SO_FAR_3, "", NULL);
	check(AT("\"text\":\"" SO_FAR_1 "\"") AT("\"text\":\"" SO_FAR_2 "\"")
	                AT("\"text\":\"" SO_FAR_3 "\"" ENDED) DONE,
	        SO_FAR_3, "", NULL);
	check(AT("\"delta\":{\"reasoning\":\"" SO_FAR_1 "\",\"reasoning_content\":\"" SO_FAR_1
	         "\"}") AT("\"delta\":{\"reasoning\":\"" SO_FAR_2
	                   "\",\"reasoning_content\":\"" SO_FAR_2 "\"}")
	                AT("\"delta\":{\"reasoning\":\"" SO_FAR_3
	                   "\",\"reasoning_content\":\"" SO_FAR_3 "\"}")
	                        AT("\"delta\":{\"content\":\"Yes\"}" ENDED) DONE,
	        "Yes", SO_FAR_3, NULL);
	check("data: {\"content\":\"" SO_FAR_1 "\",\"stop\":false}\n\n"
	      "data: {\"content\":\"" SO_FAR_2 "\",\"stop\":false}\n\n"
	      "data: {\"content\":\"" SO_FAR_3 "\",\"stop\":true,\"stop_type\":\"eos\"}\n\n",
	        SO_FAR_3, "", NULL);
	/* Afterwards, a text that does not continue the text so far contradicts it. */
	check(AT("\"delta\":{\"content\":\"" SO_FAR_1 "\"}")
	                AT("\"delta\":{\"content\":\"" SO_FAR_2 "\"}")
	                        AT("\"delta\":{\"content\":\"" SO_FAR_3 "\"}")
	                                AT("\"delta\":{\"content\":\"No\"}" ENDED) DONE,
	        SO_FAR_3, "", "message.content");
}

Test(repetition, deltas_that_may_be_all_text_so_far_are_marked)
{
	check(AT("\"delta\":{\"content\":\"" SO_FAR_1 "\"}")
	                AT("\"delta\":{\"content\":\"" SO_FAR_2 "\"}" ENDED) DONE,
	        SO_FAR_1 SO_FAR_2, "", "message.content");
	check(AT("\"delta\":{\"content\":\"It\"}") AT("\"delta\":{\"content\":\"It is\"}")
	                AT("\"delta\":{\"content\":\"It is so\"}" ENDED) DONE,
	        "ItIt isIt is so", "", "message.content");
	check(AT("\"delta\":{\"content\":\"" SO_FAR_1 "\"}")
	                AT("\"delta\":{\"content\":\"" SO_FAR_1 "\"}" ENDED) DONE,
	        SO_FAR_1 SO_FAR_1, "", "message.content");
	/* Short texts may be repeated by chance. */
	check(AT("\"delta\":{\"content\":\"4\"}") AT("\"delta\":{\"content\":\"2\"}")
	                AT("\"delta\":{\"content\":\"42\"}" ENDED) DONE,
	        "4242", "", "message.content");
	/* If the reasoning came so, the answer probably did, too. */
	check(AT("\"delta\":{\"reasoning\":\"" SO_FAR_1 "\"}")
	                AT("\"delta\":{\"reasoning\":\"" SO_FAR_2 "\"}")
	                        AT("\"delta\":{\"reasoning\":\"" SO_FAR_3 "\"}")
	                                AT("\"delta\":{\"content\":\"4\"}")
	                                        AT("\"delta\":{\"content\":\"42\"}" ENDED) DONE,
	        "442", SO_FAR_3, "message.content");
	/* A token for each piece shows that the piece is new. */
	check(AT("\"delta\":{\"content\":\"1\"},\"logprobs\":{\"content\":[" LOGPROB("1") "]}")
	                AT("\"delta\":{\"content\":\"10\"},\"logprobs\":{\"content\":[" LOGPROB(
	                        "10") "]}") AT("\"delta\":{\"content\":\"100\"},\"logprobs\":{"
	                                       "\"content\":[" LOGPROB("100") "]}" ENDED) DONE,
	        "110100", "", NULL);
}

Test(repetition, parts_of_a_response_are_no_repetitions_of_each_other)
{
#define PIECE(n, text)                                                                             \
	RESPONSE("\"type\":\"response.output_text.delta\",\"output_index\":" #n                    \
	         ",\"delta\":\"" text "\"")
	check(PIECE(0, SO_FAR_1) PIECE(1, SO_FAR_2) PIECE(2, SO_FAR_3)
	                RESPONSE("\"type\":\"response.output_text.done\",\"output_index\":2,"
	                         "\"text\":\"" SO_FAR_3 "\""),
	        SO_FAR_1 SO_FAR_2 SO_FAR_3, "", NULL);
	check(PIECE(0, SO_FAR_1) PIECE(0, SO_FAR_2) PIECE(0, SO_FAR_3), SO_FAR_3, "", NULL);
#undef PIECE
}

Test(repetition, arguments_that_may_hold_an_object_like_themselves_are_marked)
{
#define PIECE(id, arguments)                                                                       \
	AT("\"delta\":{\"tool_calls\":[{\"index\":0," id                                           \
	   "\"function\":{\"arguments\":\"" arguments "\"}}]}")
#define BEGIN(arguments) PIECE("\"id\":\"c\",", arguments)
	static const struct {
		const char *body, *arguments, *unknown;
	} examples[] = {
	        {BEGIN("{\\\"a\\\":") PIECE("", "{\\\"a\\\":1}}"), "{\"a\":{\"a\":1}}",
	                "tool_call.arguments"},
	        {BEGIN("{\\\"a\\\":[") PIECE("", "{\\\"a\\\":[]}]}"), "{\"a\":[{\"a\":[]}]}",
	                "tool_call.arguments"},
	        {BEGIN("{\\\"a\\\":\\\"b:") PIECE("", "{\\\"a\\\":\\\"b:c\\\"}"), "{\"a\":\"b:c\"}",
	                NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
		struct reading *r = read_stream(examples[i].body);
		cr_assert_eq(r->choices[0].n_calls, 1, "%zu", i);
		cr_assert_str_eq(r->choices[0].calls[0].arguments, examples[i].arguments);
		const char *unknown = r->unknown ? r->unknown : "";
		cr_assert_str_eq(unknown, examples[i].unknown ? examples[i].unknown : "");
		reading_destroy(r);
	}
#undef BEGIN
#undef PIECE
}

Test(repetition, reasoning_under_several_names_counts_once)
{
	check(AT("\"delta\":{\"reasoning\":\"So\",\"reasoning_content\":\"So\",\"thinking_blocks\":"
	         "[{\"type\":\"thinking\",\"thinking\":\"So\",\"signature\":\"s\"}]}")
	                AT("\"delta\":{\"reasoning\":\" it is\",\"reasoning_content\":\" it is\"}")
	                        AT("\"delta\":{\"content\":\"Yes\"}" ENDED) DONE,
	        "Yes", "So it is", NULL);
}

Test(repetition, pieces_that_only_look_like_a_repetition_are_kept)
{
	/* Only the last event says all again. */
	check(AT("\"delta\":{\"content\":\"12345678\"}") AT("\"delta\":{\"content\":\"12345678\"}")
	                AT("\"delta\":{\"content\":\"1234567812345678\"}")
	                        AT("\"delta\":{\"content\":\".\"}" ENDED) DONE,
	        "12345678123456781234567812345678.", "", NULL);
	/* Its own token vouches for it. */
	check(AT("\"delta\":{\"content\":\"12345678\"},\"logprobs\":{\"content\":[" LOGPROB(
	              "12345678") "]}") AT("\"delta\":{\"content\":\"12345678\"},\"logprobs\":"
	                                   "{\"content\":[" LOGPROB("12345678") "]}")
	                AT("\"delta\":{\"content\":\"1234567812345678\"},\"logprobs\":{\"content\":"
	                   "[" LOGPROB("1234567812345678") "]}" ENDED) DONE,
	        "12345678123456781234567812345678", "", NULL);
}

Test(repetition, tokens_of_the_last_event_that_are_told_again_count_once)
{
	struct reading *r = read_stream(
	        AT("\"delta\":{\"content\":\"An\"},\"logprobs\":{\"content\":[" LOGPROB("An") "]}")
	                AT("\"delta\":{\"content\":\" "
	                   "answer\"},\"logprobs\":{\"content\":[" LOGPROB(" answer") "]}")
	                        AT("\"message\":{\"content\":\"An "
	                           "answer\"},\"logprobs\":{\"content\":[" LOGPROB(
	                                   "An") "," LOGPROB(" answer") "]}" ENDED) DONE);
	cr_assert_eq(r->choices[0].columns.n, 2);
	cr_assert_eq(r->marks & READING_TOKENS_MISSPELL, 0);
	reading_destroy(r);
}

Test(repetition, tgi_gives_its_text_at_the_end_once_more)
{
	check("data: {\"index\":1,\"token\":{\"id\":1,\"text\":\"An\",\"logprob\":-0.5}}\n\n"
	      "data: {\"index\":2,\"token\":{\"id\":2,\"text\":\" answer\",\"logprob\":-0.5}}\n\n"
	      "data: {\"generated_text\":\"An "
	      "answer\",\"details\":{\"finish_reason\":\"length\"}}\n\n",
	        "An answer", "", NULL);
}

Test(repetition, responses_without_places_are_told_once)
{
	/* As llama.cpp sends them: the item's id alone says which one it is. */
	static const char body[] = RESPONSE(
	        "\"type\":\"response.output_item.added\",\"item\":{\"type\":\"reasoning\","
	        "\"id\":\"rs\",\"summary\":[]}")
	        RESPONSE("\"type\":\"response.reasoning_text.delta\",\"item_id\":\"rs\","
	                 "\"delta\":\"Hm.\"") RESPONSE("\"type\":\"response.output_item.added\","
	                                               "\"item\":{\"type\":"
	                                               "\"message\",\"id\":\"ms\",\"content\":[]}")
	                RESPONSE("\"type\":\"response.output_text.delta\",\"item_id\":"
	                         "\"ms\",\"delta\":\"Yes\"")
	                        RESPONSE("\"type\":\"response.function_call_arguments.delta\","
	                                 "\"item_id\":\"fc\","
	                                 "\"delta\":\"{}\"")
	                                RESPONSE("\"type\":\"response.output_item.done\",\"item\":{"
	                                         "\"type\":"
	                                         "\"function_call\",\"id\":\"fc\",\"call_id\":"
	                                         "\"c\",\"name\":\"f\","
	                                         "\"arguments\":\"{}\"}")
	                                        RESPONSE("\"type\":\"response.completed\","
	                                                 "\"response\":{\"status\":\"completed\","
	                                                 "\"output\":[{\"type\":\"reasoning\","
	                                                 "\"id\":\"rs\",\"content\":[{\"type\":"
	                                                 "\"reasoning_text\",\"text\":\"Hm.\"}],"
	                                                 "\"summary\":[]},{\"type\":\"message\","
	                                                 "\"id\":\"ms\",\"content\":[{\"type\":"
	                                                 "\"output_text\",\"text\":\"Yes\"}]},"
	                                                 "{\"type\":\"function_call\",\"id\":"
	                                                 "\"fc\",\"call_id\":\"c\",\"name\":\"f\","
	                                                 "\"arguments\":\"{}\"}]}");
	check(body, "Yes", "Hm.", NULL);
	struct reading *r = read_stream(body);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].id, "c");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	reading_destroy(r);
}

/* Text beside deltas of blanks: all of these must not be passed over for each event. */
Test(repetition, many_events_take_bounded_time, .timeout = 20)
{
	struct buf b = {0};
	for (int i = 0; i < 100000; i++) {
		buf_append_str(&b, AT("\"delta\":{\"content\":\"          \"},\"text\":\"x\""));
	}
	struct reading *r = read_stream(buf_cstr(&b));
	cr_assert_eq(r->choices[0].text.len, 1000000);
	cr_assert_str_eq(r->unknown, "choice.text");
	reading_destroy(r);
	buf_finish(&b);
}
