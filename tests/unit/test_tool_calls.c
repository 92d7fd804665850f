#include "answers/calls/tool_calls.h"

#include "tests/unit/readings.h"

Test(tool_calls, streamed_tool_calls_are_joined_by_index)
{
	struct reading *r = read_stream(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
	                                      "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":"
	                      "\"g\",\"arguments\":\"{\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{"
	                              "\\\"a\\\":\"}},"
	                              "{\"index\":1,\"function\":{\"arguments\":\"}\"}},"
	                              "{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]") FINISH);
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 2);
	cr_assert_str_eq(c->calls[0].id, "c1");
	cr_assert_str_eq(c->calls[0].name, "f");
	cr_assert_str_eq(c->calls[0].arguments, "{\"a\":1}");
	cr_assert_str_eq(c->calls[1].arguments, "{}");
	cr_assert_gt(r->first_content_at, 0);
	reading_destroy(r);
}

Test(tool_calls, a_new_id_at_the_same_index_is_a_new_call_a_repeated_one_is_not)
{
	struct reading *r = read_stream(
	        DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	              "\"arguments\":\"1\"}}]") DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\","
	                                              "\"function\":{\"name\":\"f\","
	                                              "\"arguments\":\"2\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":"
	                      "\"f\",\"arguments\":\"3\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
	                              "\"4\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "12");
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "34");
	reading_destroy(r);
}

/* Poolside gives all but the first piece of a call another id, LiteLLM each piece. */
Test(tool_calls, another_id_without_a_name_continues_an_open_call)
{
#define PIECE(id, name, text)                                                                      \
	DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"" id "\",\"function\":{\"name\":" name        \
	      ",\"arguments\":\"" text "\"}}]")
	struct reading *r = read_stream(PIECE("a", "\"f\"", "") PIECE("b", "null", "{\\\"x\\\"")
	                PIECE("c", "\"\"", ":1}") PIECE("d", "\"g\"", "{}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_expect_str_eq(r->choices[0].calls[0].id, "a");
	cr_expect_str_eq(r->choices[0].calls[0].arguments, "{\"x\":1}");
	cr_expect_str_eq(r->choices[0].calls[1].name, "g");
	reading_destroy(r);
	/* After a complete call the piece begins another one. */
	r = read_stream(
	        PIECE("a", "\"f\"", "{}") PIECE("b", "null", "") PIECE("b", "\"g\"", "{}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_expect_str_eq(r->choices[0].calls[0].arguments, "{}");
	cr_expect_str_eq(r->choices[0].calls[1].name, "g");
	reading_destroy(r);
#undef PIECE
}

Test(tool_calls, whole_calls_without_index_are_told_apart)
{
	/* transformers gives every call the same id. */
	struct reading *r =
	        read_stream(DELTA("\"tool_calls\":[{\"id\":\"x_tool_call\",\"function\":{\"name\":"
	                          "\"f\",\"arguments\":{\"a\": [1]}}}]")
	                        DELTA("\"tool_calls\":[{\"id\":\"x_tool_call\",\"function\":{"
	                              "\"name\":\"g\",\"arguments\":\"{}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{\"a\": [1]}");
	cr_assert_str_eq(r->choices[0].calls[1].name, "g");
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{"
	                     "\"name\":\"f\",\"arguments\":\"1\"}},"
	                     "{\"function\":{\"name\":\"f\"}}]}"));
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_null(r->choices[0].calls[1].arguments);
	cr_assert_null(r->choices[0].calls[1].id);
	reading_destroy(r);
}

Test(tool_calls, pieces_without_id_and_name_belong_to_the_call_before)
{
	/* Their index is missing, that of the first call, or that of none. */
	static const char *const indices[] = {"", "\"index\":0,", "\"index\":7,"};
	for (size_t i = 0; i < ARRAY_LEN(indices); i++) {
		struct buf b = {0};
		for (int k = 0; k < 2; k++) {
			buf_printf(&b,
			        "data: "
			        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":"
			        "%d,\"id\":\"c%d\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}"
			        "}]}}]}"
			        "\n\n",
			        k, k);
			for (int piece = 0; piece < 2; piece++) {
				buf_printf(&b,
				        "data: "
				        "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{%s"
				        "\"function\":{\"arguments\":\"%s\"}}]}}]}\n\n",
				        indices[i], piece ? "1}" : "{\\\"a\\\":");
			}
		}
		buf_append_str(&b, FINISH);
		struct reading *r = read_stream(buf_cstr(&b));
		cr_assert_eq(r->choices[0].n_calls, 2, "%s", indices[i]);
		for (size_t k = 0; k < 2; k++) {
			cr_expect_str_eq(
			        r->choices[0].calls[k].arguments, "{\"a\":1}", "%s", indices[i]);
		}
		reading_destroy(r);
		buf_finish(&b);
	}
}

#define NAMED(index, name, arguments)                                                              \
	DELTA("\"tool_calls\":[{" index "\"id\":\"\",\"function\":{\"name\":\"" name               \
	      "\",\"arguments\":\"" arguments "\"}}]")

Test(tool_calls, a_name_may_come_in_parts)
{
	/* Gemini's form. */
	struct reading *r = read_stream(NAMED("\"index\":0,", "edit_", "")
	                NAMED("\"index\":0,", "file", "") NAMED("\"index\":0,", "", "{}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "edit_file");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	reading_destroy(r);
	/* MiniMax repeats the name in every piece. */
	r = read_stream(
	        NAMED("\"index\":0,", "edit", "{") NAMED("\"index\":0,", "edit", "}") FINISH);
	cr_assert_str_eq(r->choices[0].calls[0].name, "edit");
	reading_destroy(r);
	r = read_stream(DELTA("\"function_call\":{\"name\":\"edit_\"}")
	                DELTA("\"function_call\":{\"name\":\"file\",\"arguments\":\"{}\"}") FINISH);
	cr_assert_str_eq(r->choices[0].calls[0].name, "edit_file");
	reading_destroy(r);
}

Test(tool_calls, pieces_of_parallel_calls_belong_to_their_id)
{
#define CALL(id, text)                                                                             \
	"{\"id\":\"" id "\",\"function\":{\"name\":\"" id "\",\"arguments\":\"" text "\"}}"
#define PIECE(index, id, text)                                                                     \
	DELTA("\"tool_calls\":[{" index "\"id\":\"" id "\",\"function\":{\"name\":\"" id           \
	      "\",\"arguments\":\"" text "\"}}]")
	static const char *const streams[] = {
	        PIECE("", "a", "[1,") PIECE("", "b", "[3,") PIECE("", "a", "2]")
	                PIECE("", "b", "4]") FINISH,
	        PIECE("\"index\":\"0\",", "a", "[1,") PIECE("\"index\":\"1\",", "b", "[3,") PIECE(
	                "\"index\":\"0\",", "", "2]") PIECE("\"index\":\"1\",", "", "4]") FINISH,
	        PIECE("\"index\":0,", "a", "[1,") PIECE("\"index\":0,", "b", "[3,")
	                PIECE("\"index\":0,", "a", "2]") PIECE("\"index\":0,", "b", "4]") FINISH,
	        /* Several in an event, in another order than before. */
	        DELTA("\"tool_calls\":[" CALL("a", "[1,") "," CALL("b", "[3,") "]")
	                DELTA("\"tool_calls\":[" CALL("b", "4]") "," CALL("a", "2]") "]") FINISH,
	        /* A call without an id is at the place of the piece. */
	        DELTA("\"tool_calls\":[" CALL("", "[1,2]") "," CALL("b", "[3,") "]")
	                DELTA("\"tool_calls\":[" CALL("b", "4]") "]") FINISH,
	        /* A piece with nothing but arguments continues the call that was continued last. */
	        PIECE("", "a", "[1") PIECE("", "b", "[3,4]") PIECE("", "a", ",")
	                DELTA("\"tool_calls\":[" CALL("", "2]") "]") FINISH,
	};
#undef PIECE
#undef CALL
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct reading *r = read_stream(streams[i]);
		cr_assert_eq(r->choices[0].n_calls, 2, "%zu", r->choices[0].n_calls);
		cr_expect_str_eq(r->choices[0].calls[0].arguments, "[1,2]");
		cr_expect_str_eq(r->choices[0].calls[1].arguments, "[3,4]");
		cr_expect_str_eq(r->choices[0].calls[1].name, "b");
		reading_destroy(r);
	}
}

/* TGI streams each piece as an object, without a list around it. */
Test(tool_calls, a_piece_may_come_without_a_list)
{
#define PIECE(name, text)                                                                          \
	DELTA("\"tool_calls\":{\"index\":0,\"id\":\"\",\"type\":\"function\",\"function\":{"       \
	      "\"name\":" name ",\"arguments\":\"" text "\"}}")
	struct reading *r =
	        read_stream(PIECE("\"f\"", "") PIECE("null", "[1,") PIECE("null", "2]") FINISH);
#undef PIECE
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_expect_str_eq(r->choices[0].calls[0].name, "f");
	cr_expect_str_eq(r->choices[0].calls[0].arguments, "[1,2]");
	cr_expect_eq(r->marks, 0);
	reading_destroy(r);
}

Test(tool_calls, another_name_after_whole_arguments_begins_a_call)
{
	struct reading *r = read_stream(NAMED("\"index\":0,", "f", "{}") NAMED(
	        "\"index\":0,", "g", "") NAMED("\"index\":0,", "", "{\\\"a\\\":1}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	cr_assert_str_eq(r->choices[0].calls[1].name, "g");
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "{\"a\":1}");
	reading_destroy(r);
}

Test(tool_calls, function_call_counts_when_there_are_no_tool_calls)
{
	struct reading *r =
	        read_stream(DELTA("\"function_call\":{\"name\":\"f\",\"arguments\":\"{\"}")
	                        DELTA("\"function_call\":{\"arguments\":\"}\"}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	reading_destroy(r);
	/* llama-cpp-python sends both. */
	r = read_stream(DELTA("\"function_call\":{\"name\":\"f\",\"arguments\":\"{}\"},"
	                      "\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":"
	                      "\"f\",\"arguments\":\"{}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].id, "c");
	reading_destroy(r);
	/* An empty one says nothing beside them. */
	r = read_body(CHOICE("\"message\":{\"function_call\":{\"name\":\"\",\"arguments\":\"\"},"
	                     "\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":"
	                     "\"f\",\"arguments\":\"{}\"}}]}"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(tool_calls, whole_calls_that_share_index_and_id_stay_apart)
{
	/* transformers: one id for all calls of a response. */
	struct reading *r = read_stream(
	        DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	              "\"arguments\":\"{\\\"x\\\":1}\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":0,\"id\":"
	                      "\"a\",\"function\":{\"name\":\"f\","
	                      "\"arguments\":\"{\\\"x\\\":2}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "{\"x\":2}");
	reading_destroy(r);
}

Test(tool_calls, arguments_that_are_a_value_are_whole)
{
	/* Ollama's own route: no ids, the index in the function. */
	struct reading *r = read_stream(
	        DELTA("\"tool_calls\":[{\"function\":{\"index\":0,\"name\":\"f\",\"arguments\":"
	              "{\"x\":1}}}]") DELTA("\"tool_calls\":[{\"function\":{\"index\":0,\"name\":"
	                                    "\"f\",\"arguments\":{\"x\": 2}}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{\"x\":1}");
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "{\"x\": 2}");
	reading_destroy(r);
}

Test(tool_calls, arguments_in_pieces_that_look_like_new_ones_take_linear_time, .timeout = 120)
{
	static const char *const pieces[] = {"{", "{}"};
	const int n_elements = 200000, n_pieces = 100000;
	for (size_t k = 0; k < ARRAY_LEN(pieces); k++) {
		struct buf b = {0};
		buf_append_str(&b,
		        "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
		        "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":[");
		for (int i = 0; i < n_elements; i++) {
			buf_append_str(&b, "{},");
		}
		buf_append_str(&b, "\\\"\"}}]}}]}\n\n");
		for (int i = 0; i < n_pieces; i++) {
			buf_printf(&b,
			        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\","
			              "\"arguments\":\"%s\"}}]"),
			        pieces[k]);
		}
		struct reading *r = read_stream(buf_cstr(&b));
		cr_assert_eq(r->choices[0].n_calls, 1);
		size_t len = strlen("{\"a\":[\"") + 3 * (size_t)n_elements +
		             (size_t)n_pieces * strlen(pieces[k]);
		cr_assert_eq(strlen(r->choices[0].calls[0].arguments), len);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(tool_calls, braces_in_texts_end_no_arguments)
{
	/* The second piece looks like the arguments of another call, but the first is no object yet. */
	struct reading *r = read_stream(
	        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":"
	              "\"{\\\"x\\\":[\\\"}\\\\\\\"]}\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\","
	                      "\"arguments\":\"{\\\",{}]}\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\","
	                              "\"arguments\":\"{}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{\"x\":[\"}\\\"]}{\",{}]}");
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "{}");
	reading_destroy(r);
}
