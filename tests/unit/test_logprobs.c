#include "answers/tokens/logprobs.h"

#include "tests/unit/readings.h"

Test(logprobs, the_legacy_form_is_read_in_any_order)
{
	struct reading *r = read_body(CHOICE(
	        "\"text\":\"ab\",\"logprobs\":{\"top_logprobs\":[null,{\"b\":-0.5,\"c\":-2,"
	        "\"\\u0062\\u0062\":-3}],"
	        "\"token_logprobs\":[null,-0.5],\"text_offset\":[0,1],\"tokens\":[\"a\",\"b\"]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_NON_FINITE);
	cr_assert_eq(c->n, 2);
	cr_assert(isnan(c->lp[0]) && c->lp[1] == -0.5f);
	cr_assert_eq(oddity(c, 0), TOKEN_MISSING);
	cr_assert(c->top_end[0] == 0 && c->top_end[1] == 3);
	cr_assert(span_is(columns_top_token(c, 2), "bb"));
	cr_assert_eq(c->ids[1], -1);
	reading_destroy(r);
}

Test(logprobs, tokens_named_otherwise_are_understood)
{
	struct reading *r = read_body(CHOICE("\"text\":\"\\u2019\",\"logprobs\":{\"tokens\":["
	                                     "\"bytes:\\\\xe2\\\\x80\",\"bytes:\\\\x99\"],"
	                                     "\"token_logprobs\":[-1,-1]}"));
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].columns.bytes_end[1], 3);
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"content\":\"hi\"},\"logprobs\":{\"content\":[" ENTRY(
	        "\"token_id:12\"",
	        "\"logprob\":-1,\"bytes\":[104,105],\"top_logprobs\":[" ENTRY("\"token_id:12\"",
	                "\"logprob\":-1,\"bytes\":[116]") "," ENTRY("\"token_id:7\"",
	                "\"logprob\":-2,\"bytes\":[116]") "]") "]}"));
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].columns.ids[0], 12);
	cr_assert_eq(r->choices[0].columns.top_ids[1], 7);
	cr_assert_eq(columns_top_token(&r->choices[0].columns, 1).len, 0);
	cr_assert_eq(oddity(&r->choices[0].columns, 0), 0);
	reading_destroy(r);
}

Test(logprobs, ids_beside_the_logprobs_are_taken_when_they_are_as_many)
{
	struct reading *r = read_stream(
	        "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"content\":[" ENTRY(
	                "\"a\"",
	                "\"logprob\":-1") "]},\"token_ids\":[5]}]}\n\n"
	                                  "data: "
	                                  "{\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_"
	                                  "reason\":\"stop\",\"token_ids\":[6,7],"
	                                  "\"logprobs\":{\"content\":[" ENTRY("\"b\"",
	                                          "\"logprob\":-1") "]}}]}\n\ndata: [DONE]\n\n");
	cr_assert_eq(r->choices[0].columns.ids[0], 5);
	cr_assert_eq(r->choices[0].columns.ids[1], -1);
	reading_destroy(r);
}

Test(logprobs, ids_within_the_logprobs_are_taken)
{
	static const char *const forms[] = {
	        CHOICE("\"text\":\"ab\",\"logprobs\":{\"token_ids\":[5,6],\"tokens\":[\"a\",\"b\"],"
	               "\"token_logprobs\":[-1,-1]}"),
	        CHOICE("\"text\":\"ab\",\"logprobs\":{\"content\":[" ENTRY(
	                "\"a\"", "\"logprob\":-1,\"token_id\":5") "," ENTRY("\"b\"",
	                "\"logprob\":-1,\"token_id\":6") "]}"),
	        /* Lists beside entries repeat them. */
	        CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":[\"a\",\"b\"],\"token_logprobs\":["
	               "-1,"
	               "-1],\"content\":[" ENTRY("\"a\"", "\"logprob\":-1") "," ENTRY(
	                       "\"b\"", "\"logprob\":-1") "],\"token_ids\":[5,6]}"),
	};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct reading *r = read_body(forms[i]);
		const struct columns *c = &r->choices[0].columns;
		cr_assert_eq(r->marks, 0, "%s", forms[i]);
		cr_assert_eq(c->n, 2, "%s", forms[i]);
		cr_assert(c->ids[0] == 5 && c->ids[1] == 6, "%s", forms[i]);
		reading_destroy(r);
	}
}

Test(logprobs, numbers_that_are_no_logprobs_are_missing)
{
	static const char *const odd[] = {"NaN", "Infinity", "-Infinity", "null", "-9999",
	        "-9999.0", "-3.4028234663852886e+38", "-1e400", "\"-1\"", "true", "{}"};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        CHOICE("\"text\":\"ab\",\"logprobs\":{\"content\":[" ENTRY(
		                "\"a\"", "\"logprob\":%s,\"top_logprobs\":[" ENTRY(
		                                 "\"a\"", "\"logprob\":%s") "]") "," ENTRY("\"b\"",
		                "\"logprob\":-0.5") "]}"),
		        odd[i], odd[i]);
		struct reading *r = read_body(buf_cstr(&b));
		/* Values that are no numbers are also marked as malformed. */
		uint32_t malformed = strchr("\"t{", odd[i][0]) ? READING_MALFORMED_LOGPROBS : 0;
		cr_assert_eq(r->marks & ~(uint32_t)READING_NOT_JSON, READING_NON_FINITE | malformed,
		        "%s: %x", odd[i], r->marks);
		const struct columns *c = &r->choices[0].columns;
		cr_assert_eq(c->n, 2, "%s", odd[i]);
		cr_assert(
		        isnan(c->lp[0]) && isnan(c->top_lp[0]) && c->lp[1] == -0.5f, "%s", odd[i]);
		cr_assert(oddity(c, 0) == TOKEN_MISSING && oddity(c, 1) == 0, "%s", odd[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(logprobs, the_chosen_token_is_placed_in_its_list)
{
	struct reading *r = read_body(CHOICE("\"text\":\"abcd\",\"logprobs\":{\"content\":[" ENTRY(
	        "\"a\"",
	        "\"logprob\":-1,\"top_logprobs\":[" ENTRY("\"a\"", "\"logprob\":-1") "," ENTRY(
	                "\"x\"", "\"logprob\":-1") "]") "," ENTRY("\"b\"",
	        "\"top_logprobs\":[" ENTRY("\"x\"", "\"logprob\":-1") "," ENTRY(
	                "\"b\"", "\"logprob\":-2") "],\"logprob\":-2") "," ENTRY("\"c\"",
	        "\"logprob\":-1,\"top_logprobs\":[" ENTRY(
	                "\"x\"", "\"logprob\":-2") "]") "," ENTRY("\"d\"",
	        "\"id\":4,\"logprob\":-3,\"top_logprobs\":[" ENTRY(
	                "\"d\"", "\"id\":5,\"logprob\":-1") "]") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(oddity(c, 0), 0);
	cr_assert_eq(oddity(c, 1), TOKEN_NOT_TOP);
	cr_assert_eq(oddity(c, 2), TOKEN_UNLISTED);
	cr_assert_eq(oddity(c, 3), TOKEN_NOT_TOP | TOKEN_UNLISTED);
	cr_assert_eq(c->top_ids[5], 5);
	reading_destroy(r);
}

/* SGLang streams the list of an event's first token with all of its tokens. */
Test(logprobs, alternatives_of_the_token_before_are_left_out)
{
#define TOPS                                                                                       \
	"\"top_logprobs\":[" ENTRY("\"a\"", "\"logprob\":-0.5") "," ENTRY(                         \
	        "\"b\"", "\"logprob\":-1") "]"
#define TOKEN(token, lp) ENTRY(token, "\"logprob\":" lp "," TOPS)
	struct reading *r =
	        read_stream("data: " CHOICE("\"text\":\"acdbaa\",\"logprobs\":{\"content\":[" TOKEN(
	                "\"a\"", "-0.5") "," TOKEN("\"c\"", "-0.25") "," TOKEN("\"d\"",
	                "-2") "," TOKEN("\"b\"", "-1") "," TOKEN("\"a\"", "-0.5") "," TOKEN("\"a\"",
	                "-0.75") "]}") "\n\n"
	                               "data: [DONE]\n\n");
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_MALFORMED_LOGPROBS);
	cr_assert_eq(c->n, 6);
	static const uint32_t rows[] = {2, 2, 2, 4, 6, 6};
	for (uint32_t i = 0; i < c->n; i++) {
		cr_expect_eq(c->top_end[i], rows[i], "%u", i);
		cr_expect_eq(c->flags[i] & TOKEN_UNLISTED, 0, "%u", i);
	}
	reading_destroy(r);
#undef TOKEN
#undef TOPS
}

Test(logprobs, entries_with_ids_alone_are_kept_and_marked)
{
	/* mlx-lm without top_logprobs */
	struct reading *r = read_body(CHOICE("\"message\":{\"content\":\"hi\"},\"logprobs\":{"
	                                     "\"content\":[{\"id\":9,\"logprob\":-1}]}"));
	cr_assert_eq(
	        r->marks, READING_LOSSY_TOKENS | READING_TOKENS_MISSPELL | READING_KEYLESS_TOKENS);
	cr_assert_eq(r->choices[0].columns.ids[0], 9);
	cr_assert_eq(oddity(&r->choices[0].columns, 0), TOKEN_LOSSY);
	reading_destroy(r);
}

Test(logprobs, logprobs_that_were_asked_for_and_did_not_come_are_missed)
{
	struct reading_hints hints = {.status = 200, .wants_logprobs = true};
	struct reading *r = read_with(hints, CHOICE("\"text\":\"x\",\"logprobs\":null"));
	cr_assert_eq(r->marks, READING_LOGPROBS_MISSING);
	cr_assert_not(r->choices[0].has_columns);
	reading_destroy(r);
	r = read_with(hints, CHOICE("\"text\":\"x\",\"logprobs\":{\"content\":[" ENTRY(
	                             "\"x\"", "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(logprobs, too_many_alternatives_and_calls_are_left_out)
{
	struct buf b = {0};
	buf_append_str(&b,
	        "{\"choices\":[{\"finish_reason\":\"stop\",\"text\":\"x\",\"logprobs\":{"
	        "\"tokens\":[\"x\"],\"token_logprobs\":[-1],\"top_logprobs\":[{\"x\":-1");
	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, ",\"t%d\":-9", i);
	}
	buf_append_str(&b, "}]},\"message\":{\"tool_calls\":[{}");
	for (int i = 0; i < 1000; i++) {
		buf_append_str(&b, ",{\"function\":{\"name\":\"f\"}}");
	}
	buf_append_str(&b, "]}}]}");
	struct reading *r = read_body(buf_cstr(&b));
	cr_assert_eq(r->marks, READING_TOO_LARGE);
	cr_assert_eq(r->choices[0].columns.top_end[0], READING_TOP_LIMIT);
	cr_assert_eq(r->choices[0].n_calls, READING_CALLS_LIMIT);
	reading_destroy(r);
	buf_finish(&b);
}

Test(logprobs, lists_of_unlike_lengths_lose_what_does_not_fit)
{
	struct reading *r = read_body(
	        CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":[\"a\",\"b\"],"
	               "\"token_logprobs\":[-1],\"top_logprobs\":[{\"a\":-1},{\"b\":-2}]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_MALFORMED_LOGPROBS | READING_NON_FINITE);
	cr_assert(c->n == 2 && isnan(c->lp[0]) && isnan(c->lp[1]) && c->top_end[1] == 2);
	reading_destroy(r);

	r = read_body(CHOICE("\"text\":\"ab\",\"logprobs\":{\"tokens\":[\"a\",\"b\"],"
	                     "\"token_logprobs\":[-1,-2],\"top_logprobs\":[{\"a\":-1},null,{}]}"));
	c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_MALFORMED_LOGPROBS);
	cr_assert(c->n == 2 && c->lp[1] == -2 && c->top_end[1] == 0);
	reading_destroy(r);
}

Test(logprobs, nonsense_is_marked_and_the_answer_is_kept)
{
	static const char *const odd[] = {
	        "\"a lot\"",
	        "7",
	        "{\"content\":\"x\"}",
	        "{\"content\":{\"token\":\"x\"}}",
	        "{\"content\":[[{\"token\":\"x\"}]]}",
	        "{\"content\":[\"x\",5]}",
	        "{\"content\":[{\"token\":\"ok\",\"logprob\":-1,\"top_logprobs\":\"none\"}]}",
	        "{\"content\":[{\"token\":\"ok\",\"logprob\":[-1]}]}",
	        "{\"tokens\":\"ok\",\"token_logprobs\":[-1]}",
	        "{\"tokens\":[{\"a\":1}],\"token_logprobs\":[-1]}",
	        "{\"tokens\":[\"ok\"],\"token_logprobs\":[-1],\"top_logprobs\":[[]]}",
	};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct buf b = {0};
		buf_printf(&b, CHOICE("\"text\":\"ok\",\"logprobs\":%s"), odd[i]);
		struct reading *r = read_body(buf_cstr(&b));
		cr_assert(r->marks & READING_MALFORMED_LOGPROBS, "%s: %x", odd[i], r->marks);
		cr_assert_not(r->marks & READING_NOT_JSON, "%s", odd[i]);
		assert_text(&r->choices[0].text, "ok");
		cr_assert_str_eq(r->choices[0].finish, "stop");
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(logprobs, of_a_member_that_comes_twice_the_last_counts)
{
	struct reading *r =
	        read_body(CHOICE("\"text\":\"x\",\"text\":\"ab\",\"logprobs\":{\"content\":[" ENTRY(
	                "\"x\"", "\"logprob\":-9") "]},\"logprobs\":{\"content\":[" ENTRY("\"y\"",
	                "\"token\":\"ab\",\"logprob\":-9,\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	assert_text(&r->choices[0].text, "ab");
	cr_assert_eq(r->choices[0].columns.n, 1);
	assert_token(&r->choices[0].columns, 0, "ab");
	cr_assert_eq(r->choices[0].columns.lp[0], -1);
	reading_destroy(r);
}

Test(logprobs, bytes_that_are_no_utf8_survive)
{
	struct reading *r = read_body(
	        CHOICE("\"text\":\"\\ufffda\",\"logprobs\":{\"content\":[" ENTRY("\"\\ufffd\"",
	                "\"logprob\":-1,\"bytes\":[255],\"top_logprobs\":[" ENTRY("\"\\ufffd\"",
	                        "\"logprob\":-1,\"bytes\":[255]") "]") "," ENTRY("\"a\"",
	                "\"logprob\":-1,\"bytes\":[97]") "]}"));
	cr_assert_eq(r->marks, 0);
	assert_token(&r->choices[0].columns, 0, "\xff");
	cr_assert_eq(oddity(&r->choices[0].columns, 0), 0);
	reading_destroy(r);
}

Test(logprobs, ids_without_texts_are_said_to_be_so)
{
	struct reading *r = read_body(CHOICE("\"text\":\"hi\",\"logprobs\":{\"tokens\":["
	                                     "\"token_id:12\"],\"token_logprobs\":[-1],"
	                                     "\"top_logprobs\":[{\"token_id:12\":-1}]}"));
	cr_assert(r->marks & READING_KEYLESS_TOKENS);
	cr_assert(r->marks & READING_TOKENS_MISSPELL);
	cr_assert_eq(r->choices[0].columns.ids[0], 12);
	cr_assert_eq(r->choices[0].columns.top_ids[0], 12);
	reading_destroy(r);
}

Test(logprobs, escapes_stand_for_bytes_only_where_they_are_no_ascii)
{
	struct reading *r =
	        read_body(CHOICE("\"text\":\"\\u20ac\\\\x41\",\"logprobs\":{\"content\":[" ENTRY(
	                "\"\\\\xe2\\\\x82\"", "\"logprob\":-1") "," ENTRY("\"\\\\xac\"",
	                "\"logprob\":-1") "," ENTRY("\"\\\\x41\"", "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	assert_token(&r->choices[0].columns, 0, "\xe2\x82");
	assert_token(&r->choices[0].columns, 2, "\\x41");
	reading_destroy(r);
}

Test(logprobs, scores_of_the_prompt_stand_apart)
{
	struct reading *r = read_body(
	        "{\"prompt_token_ids\":[1,2,3],\"prompt_logprobs\":[null,{\"2\":{\"logprob\":-4.5,"
	        "\"rank\":9,\"decoded_token\":\" b\"},\"7\":{\"logprob\":-0.5,\"rank\":1,"
	        "\"decoded_token\":\" x\"}},{\"3\":{\"logprob\":-Infinity}}],\"choices\":[{"
	        "\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}");
	const struct columns *p = &r->choices[0].prompt;
	cr_assert_eq(r->marks, 0, "the answer is as it should be");
	cr_assert(r->choices[0].has_prompt && !r->choices[0].has_columns);
	cr_assert_eq(p->n, 3);
	cr_assert(p->ids[0] == 1 && p->ids[1] == 2 && p->ids[2] == 3);
	cr_assert(isnan(p->lp[0]) && p->lp[1] == -4.5F && isnan(p->lp[2]));
	cr_assert(p->flags[0] & p->flags[2] & TOKEN_MISSING);
	cr_assert_eq(p->flags[1], TOKEN_NOT_TOP);
	cr_assert(p->top_end[1] == 2 && p->top_ids[1] == 7);
	assert_token(p, 1, " b");
	reading_destroy(r);
}

Test(logprobs, keys_of_the_prompt_without_digits_are_no_ids)
{
	struct reading *r = read_body(
	        "{\"prompt_logprobs\":[{\"\":{\"logprob\":-1,\"decoded_token\":\"x\"}},{\"-\":{"
	        "\"logprob\":-2,\"decoded_token\":\"y\"}}],\"choices\":[{\"message\":{\"content\":"
	        "\"hi\"},\"finish_reason\":\"stop\"}]}");
	const struct columns *p = &r->choices[0].prompt;
	cr_assert_eq(p->n, 2);
	cr_expect(p->ids[0] == -1 && p->ids[1] == -1);
	assert_token(p, 0, "x");
	reading_destroy(r);
}

Test(logprobs, ids_of_the_prompt_are_kept_where_no_scores_are)
{
	struct reading *r = read_stream("data: {\"choices\":[{\"index\":0,\"text\":\"a\","
	                                "\"prompt_token_ids\":[5,6],\"finish_reason\":\"stop\"}]}"
	                                "\n\ndata: [DONE]\n\n");
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].prompt.n, 2);
	cr_assert_eq(r->choices[0].prompt.ids[1], 6);
	reading_destroy(r);
}

Test(logprobs, above_zero_are_logits_and_none_of_theirs_is_kept)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":\"ab\"},\"logprobs\":{\"content\":[" ENTRY(
	                "\"a\"", "\"logprob\":-2.5,\"top_logprobs\":[" ENTRY(
	                                 "\"a\"", "\"logprob\":-2.5") "]") "," ENTRY("\"b\"",
	                "\"logprob\":-0.5,\"top_logprobs\":[" ENTRY(
	                        "\"b\"", "\"logprob\":-0.5") "," ENTRY("\"c\"",
	                        "\"logprob\":17.25") "]") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_POSITIVE_LOGPROBS);
	cr_assert_eq(c->n, 2);
	for (uint32_t i = 0; i < c->n; i++) {
		cr_assert(isnan(c->lp[i]) && c->flags[i] & TOKEN_MISSING, "token %u", i);
	}
	for (uint32_t row = 0; row < c->top_end[1]; row++) {
		cr_assert(isnan(c->top_lp[row]), "row %u", row);
	}
	reading_destroy(r);
	/* Values within rounding of 0. */
	r = read_body(CHOICE("\"message\":{\"content\":\"a\"},\"logprobs\":{\"content\":[" ENTRY(
	        "\"a\"", "\"logprob\":0.0009,\"top_logprobs\":[]") "]}"));
	cr_assert_eq(r->marks, 0);
	cr_assert_float_eq(r->choices[0].columns.lp[0], 0.0009, 1e-6);
	reading_destroy(r);
}

Test(logprobs, what_is_odd_about_the_prompts_scores_does_not_mark_the_answer)
{
	struct buf many = {0};
	for (int i = 0; i < READING_TOP_LIMIT + 10; i++) {
		buf_printf(&many, "%s\"%d\":{\"logprob\":-1,\"decoded_token\":\"a\"}", i ? "," : "",
		        i);
	}
	const char *const odd[] = {"7", "{\"5\":{\"logprob\":2.5,\"decoded_token\":\"a\"}}",
	        "{\"5\":{\"logprob\":\"x\"}}", "{}", NULL};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{"
		        "\"content\":\"a\"}}],\"prompt_logprobs\":[null,%s%s%s]}",
		        odd[i] ? odd[i] : "{", odd[i] ? "" : buf_cstr(&many), odd[i] ? "" : "}");
		struct reading *r = read_body(buf_cstr(&b));
		cr_assert_eq(r->marks, 0, "%s: %x", odd[i], r->marks);
		cr_assert_eq(r->choices[0].prompt.n, 2);
		cr_assert(i == 4 || isnan(r->choices[0].prompt.lp[1]));
		reading_destroy(r);
		buf_finish(&b);
	}
	buf_finish(&many);
}

Test(logprobs, zeros_that_are_no_measurement_are_missing)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{"
	                   "\"content\":\"aaaaaaaaaaaa\"},\"logprobs\":{\"content\":[");
	for (int i = 0; i < 12; i++) {
		/* Alternatives: contradicting, none, confirming; and a real logprob. */
		buf_printf(&b, "%s{\"token\":\"a\",\"logprob\":%s,\"top_logprobs\":[%s]}",
		        i ? "," : "", i == 11 ? "-1" : "0.0",
		        i == 0 ? "{\"token\":\"a\",\"logprob\":0.0},{\"token\":\"b\",\"logprob\":-"
		                 "1}"
		        : i == 10 ? "{\"token\":\"a\",\"logprob\":0.0}"
		        : i == 11 ? "{\"token\":\"a\",\"logprob\":-1}"
		                  : "");
	}
	buf_append_str(&b, "]}}]}");
	struct reading *r = read_body(buf_cstr(&b));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_ZERO_LOGPROBS);
	cr_assert_eq(c->n, 12);
	for (uint32_t i = 0; i < 12; i++) {
		cr_assert_eq(isnan(c->lp[i]) != 0, i < 10, "token %u", i);
		cr_assert_eq(oddity(c, i), i < 10 ? TOKEN_MISSING : 0, "token %u", i);
	}
	cr_assert(isnan(c->top_lp[0]) && isnan(c->top_lp[1]));
	cr_assert(c->top_lp[2] == 0 && c->top_lp[3] == -1);
	reading_destroy(r);
	buf_finish(&b);
}
