#include "answers/tokens/pieces.h"

#include "tests/unit/readings.h"

static void assert_says(enum pieces kind, const char *piece, const char *want)
{
	struct buf b = {0};
	pieces_decode(kind, span_of(piece), &b);
	cr_assert_str_eq(buf_cstr(&b), want, "%s", piece);
	buf_finish(&b);
}

Test(pieces, sentencepiece_has_spaces_and_bytes_of_its_own)
{
	assert_says(PIECES_SENTENCE, "▁France", " France");
	assert_says(PIECES_SENTENCE, "▁▁", "  ");
	assert_says(PIECES_SENTENCE, "<0xE2>", "\xe2");
	assert_says(PIECES_SENTENCE, "<0xG2>", "<0xG2>");
	assert_says(PIECES_SENTENCE, "a<0xE2>", "a<0xE2>");
}

Test(pieces, byte_level_has_a_character_for_each_byte)
{
	assert_says(PIECES_BYTE_LEVEL, "Ġthe", " the");
	assert_says(PIECES_BYTE_LEVEL, "ĊĊ", "\n\n");
	assert_says(PIECES_BYTE_LEVEL, "ðŁĺĢ", "😀");
	assert_says(PIECES_BYTE_LEVEL, "Ã©", "é");
	assert_says(PIECES_BYTE_LEVEL, "Â\xc5\x83",
	        "\xc2\xad"); /* the soft hyphen has its own character */
	assert_says(PIECES_BYTE_LEVEL, "日", "日");
	assert_says(PIECES_BYTE_LEVEL, "<|im_end|>", "<|im_end|>");
}

Test(pieces, tokens_are_undone_when_only_then_they_spell_the_text)
{
	struct reading *r = read_body(CHOICE("\"text\":\"the 😀\",\"logprobs\":{\"content\":[" ENTRY(
	        "\"Ġthe\"", "\"logprob\":-1,\"top_logprobs\":[" ENTRY(
	                            "\"Ġa\"", "\"logprob\":-2") "]") "," ENTRY("\"ĠðŁ\"",
	        "\"logprob\":-1") "," ENTRY("\"ĺĢ\"", "\"logprob\":-1") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0, "%x", r->marks);
	assert_token(c, 0, " the");
	assert_token(c, 2, "\x98\x80");
	cr_assert(span_is(columns_top_token(c, 0), " a"));
	reading_destroy(r);

	/* A text that contains these characters itself. */
	r = read_body(CHOICE("\"text\":\"Ġthe\",\"logprobs\":{\"content\":[" ENTRY(
	        "\"Ġthe\"", "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	assert_token(&r->choices[0].columns, 0, "Ġthe");
	reading_destroy(r);
}

Test(pieces, what_one_choice_tells_holds_for_all_of_the_answer)
{
	struct reading *r = read_body(
	        "{\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":\"stop\",\"logprobs\":"
	        "{"
	        "\"content\":[" ENTRY("\"a\"",
	                "\"logprob\":-1,\"top_logprobs\":[" ENTRY("\"▁b\"",
	                        "\"logprob\":-2") "]") "]}},"
	                                               "{\"index\":1,\"text\":\"a "
	                                               "b\",\"finish_reason\":\"stop\","
	                                               "\"logprobs\":{\"content\":[" ENTRY("\"a\"",
	                                                       "\"logprob\":-1") "," ENTRY("\"▁b\"",
	                                                       "\"logprob\":-1") "]}}]}");
	cr_assert_eq(r->marks, 0);
	assert_token(&r->choices[1].columns, 1, " b");
	cr_assert(span_is(columns_top_token(&r->choices[0].columns, 0), " b"));
	reading_destroy(r);
}

#define ROW(id, token, lp) "{\"id\":" #id ",\"token\":\"" token "\",\"logprob\":" #lp "}"

Test(pieces, a_token_under_anothers_name_is_found_in_its_list)
{
	struct reading *r =
	        read_body(CHOICE("\"text\":\"two primes\",\"logprobs\":{\"content\":["
	                         "{\"id\":1,\"token\":\"▁a\",\"logprob\":-3,\"top_logprobs\":[" ROW(
	                                 1, "▁a", -3) "," ROW(2, "▁two",
	                                 -0.5) "]},{\"id\":3,\"token\":\"▁primes\",\"logprob\":-1,"
	                                       "\"top_logprobs\":[" ROW(3, "▁primes", -1) "," ROW(
	                                               4, "▁numbers", -2) "]}]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0, "%x", r->marks);
	assert_token(c, 0, " two");
	cr_assert(c->ids[0] == 2 && c->lp[0] == -0.5F && oddity(c, 0) == TOKEN_MISNAMED);
	assert_token(c, 1, " primes");
	cr_assert(c->ids[1] == 3 && oddity(c, 1) == 0);
	cr_assert_eq(c->top_end[1], 4);
	reading_destroy(r);
}

Test(pieces, the_search_turns_back_from_a_way_that_ends)
{
	/* "ab" is more probable than "a", but then "bc" does not fit. */
	struct reading *r = read_body(CHOICE(
	        "\"text\":\"abc\",\"logprobs\":{\"content\":["
	        "{\"token\":\"x\",\"logprob\":-9,\"top_logprobs\":[" ROW(1, "ab", -0.1) "," ROW(
	                2, "a", -2) "]},{\"token\":\"y\",\"logprob\":-9,\"top_logprobs\":[" ROW(3,
	                "bc", -1) "]}]}"));
	cr_assert_eq(r->marks, 0, "%x", r->marks);
	assert_token(&r->choices[0].columns, 0, "a");
	reading_destroy(r);
}

Test(pieces, tokens_that_no_list_explains_stay_as_they_were)
{
	struct reading *r =
	        read_body(CHOICE("\"text\":\"two\",\"logprobs\":{\"content\":["
	                         "{\"id\":1,\"token\":\"▁a\",\"logprob\":-3,\"top_logprobs\":[" ROW(
	                                 1, "▁a", -3) "," ROW(2, "▁three", -0.5) "]}]}"));
	cr_assert_eq(r->marks, READING_TOKENS_MISSPELL);
	assert_token(&r->choices[0].columns, 0, "▁a");
	cr_assert_eq(oddity(&r->choices[0].columns, 0) & TOKEN_MISNAMED, 0);
	reading_destroy(r);
}
