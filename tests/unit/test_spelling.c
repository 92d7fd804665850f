#include "answers/tokens/spelling.h"

#include "tests/unit/readings.h"

Test(spelling, bytes_split_across_tokens_spell_the_text)
{
	struct reading *r = read_body(CHOICE(
	        "\"message\":{\"content\":\"é!\"},\"logprobs\":{\"content\":[" ENTRY("\"\\ufffd\"",
	                "\"logprob\":-1,\"bytes\":[195],\"top_logprobs\":[]") "," ENTRY("\"\\ufffd"
	                                                                                "\"",
	                "\"logprob\":-2,\"bytes\":[169]") "," ENTRY("\"!\"",
	                "\"logprob\":-3,\"bytes\":null") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(c->n, 3);
	cr_assert_eq(columns_token(c, 1).len, 1);
	cr_assert_eq((unsigned char)columns_token(c, 1).data[0], 0xa9);
	cr_assert(oddity(c, 0) == 0 && oddity(c, 2) == 0);
	reading_destroy(r);
}

Test(spelling, broken_characters_without_bytes_are_lossy)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":\"é\"},\"logprobs\":{\"content\":[" ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-1,\"bytes\":null") "," ENTRY("\"\\ufffd\"",
	                "\"logprob\":-2") "]}"));
	cr_assert_eq(r->marks, READING_LOSSY_TOKENS);
	cr_assert_eq(oddity(&r->choices[0].columns, 0), TOKEN_LOSSY);
	reading_destroy(r);
}

Test(spelling, a_last_character_that_is_cut_does_not_misspell)
{
	struct reading *r = read_body(
	        "{\"choices\":[{\"finish_reason\":\"length\",\"text\":\"a\",\"logprobs\":{"
	        "\"content\":[" ENTRY("\"a\"", "\"logprob\":-1,\"bytes\":[97]") "," ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-2,\"bytes\":[240,159]") "]}}]}");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_body(
	        "{\"choices\":[{\"finish_reason\":\"length\",\"text\":\"a\\ufffd\",\"logprobs\":{"
	        "\"content\":[" ENTRY("\"a\"", "\"logprob\":-1,\"bytes\":[97]") "," ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-2,\"bytes\":[240,159]") "]}}]}");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

/* tokens: JSON strings without commas. */
static uint32_t marks_of_tokens(const char *text, const char *finish, const char *tokens)
{
	struct buf b = {0};
	buf_printf(&b,
	        "{\"choices\":[{\"finish_reason\":\"%s\",%s,\"logprobs\":{\"tokens\":[%s],\"token_"
	        "logprobs\":[-1",
	        finish, text, tokens);
	for (const char *p = tokens; (p = strchr(p, ',')); p++) {
		buf_append_str(&b, ",-1");
	}
	buf_append_str(&b, "]}}]}");
	struct reading *r = read_body(buf_cstr(&b));
	uint32_t marks = r->marks;
	reading_destroy(r);
	buf_finish(&b);
	return marks;
}

Test(spelling, tokens_that_say_something_else_are_marked)
{
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\" France\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\"▁Paris\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "stop", "\" Fran\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\" France\",\" is\""),
	        READING_TOKENS_MISSPELL);
}

Test(spelling, what_engines_take_out_of_the_text_does_not_misspell)
{
	/* A stop word, an end token, white space trimmed, markers of reasoning, a tool call. */
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "stop", "\" France\",\".\""), 0);
	cr_assert_eq(
	        marks_of_tokens("\"text\":\" France\"", "length", "\" France\",\"<|im_end|>\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\"\"", "stop", "\"<eos>\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\"France\"", "length", "\" France\""), 0);
	cr_assert_eq(marks_of_tokens("\"message\":{\"reasoning\":\"hm\",\"content\":\"yes\"}",
	                     "length", "\"<think>\",\"hm\",\"</think>\\n\",\"yes\""),
	        0);
	cr_assert_eq(marks_of_tokens("\"message\":{\"reasoning\":\"hm\",\"content\":\"yes\"}",
	                     "length", "\"<think>\",\"hm\",\"</think>\\n\",\"no\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{"
	                             "\"name\":\"f\"}}]}",
	                     "tool_calls", "\"<tool_call>\",\"f\""),
	        0);
}

Test(spelling, tokens_that_lost_their_bytes_spell_the_characters_of_the_text)
{
#define LOST "\"\\ufffd\""
	const uint32_t lossy = READING_LOSSY_TOKENS;
	cr_assert_eq(marks_of_tokens("\"text\":\" 🐧 can\"", "length",
	                     "\" \"," LOST "," LOST "," LOST "," LOST ",\" can\""),
	        lossy);
	cr_assert_eq(
	        marks_of_tokens("\"text\":\"日本!\"", "length", LOST "," LOST ",\"本!\""), lossy);
	/* The text has U+FFFD once where the tokens have it for each byte. */
	cr_assert_eq(
	        marks_of_tokens("\"text\":\"\\ufffd!\"", "length", LOST "," LOST ",\"!\""), lossy);
	/* The last character is truncated. */
	cr_assert_eq(marks_of_tokens("\"text\":\"a\"", "length", "\"a\"," LOST "," LOST), lossy);
	cr_assert_eq(marks_of_tokens("\"text\":\"é\"", "length", LOST "," LOST "," LOST), lossy);

	const uint32_t wrong = READING_LOSSY_TOKENS | READING_TOKENS_MISSPELL;
	cr_assert_eq(marks_of_tokens("\"text\":\"ab\"", "length", LOST ",\"b\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"éa\"", "length", LOST "," LOST ",\"b\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"日本語\"", "length", LOST ",\"語\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"é\"", "length",
	                     LOST "," LOST "," LOST "," LOST "," LOST "," LOST),
	        wrong);
#undef LOST
}

Test(spelling, a_replaced_character_near_the_begin_is_found_behind_a_marker)
{
	struct reading *r = read_body(CHOICE(
	        "\"message\":{\"reasoning\":\"hm\",\"content\":\"t\\ufffd "
	        "is\"},\"logprobs\":{\"content\":[" ENTRY("\"<think>hm</think>\"",
	                "\"logprob\":-1") "," ENTRY("\"t\"", "\"logprob\":-1") "," ENTRY("\"x\"",
	                "\"logprob\":-1,\"bytes\":[159]") "," ENTRY("\" is\"",
	                "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"reasoning\":\"\\ufffd hm "
	                     "\\ufffd\"},\"logprobs\":{\"content\":[" ENTRY(
	                             "\"<think>\"", "\"logprob\":-1") "," ENTRY("\"x\"",
	                             "\"logprob\":-1,\"bytes\":[240,159]") "," ENTRY("\" hm \"",
	                             "\"logprob\":-1") "," ENTRY("\"x\"",
	                             "\"logprob\":-1,\"bytes\":[240,159]") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

/* A choice with this text, whose tokens are given with a bar between two of them. */
static bool has_lost(const char *text, const char *tokens)
{
	struct choice c = {.has_columns = true};
	uint32_t ends[32];
	struct buf bytes = {0};
	buf_append_str(&c.text, text);
	for (const char *p = tokens; *p; p++) {
		if (*p != '|') {
			buf_append_char(&bytes, *p);
		}
		if (p[0] == '|' || !p[1]) {
			ends[c.columns.n++] = (uint32_t)bytes.len;
		}
	}
	c.columns.bytes = bytes.data;
	c.columns.bytes_end = ends;
	bool lost = spelling_has_lost(&c);
	buf_finish(&bytes);
	buf_finish(&c.text);
	return lost;
}

Test(spelling, characters_of_several_tokens_that_the_text_lacks_are_found)
{
	cr_expect(has_lost("a  b", "a| |\xf0\x9f|\xa6\x8a| |b"));
	cr_expect(has_lost("a ", "a| |\xf0\x9f|\xa6\x8a"));
	cr_expect(has_lost(" b", "\xf0\x9f|\xa6\x8a| |b|<end>"), "a stop word follows");
	cr_expect(
	        has_lost("\xc3\xa9 b", "\xc3\xa9|\xf0\x9f|\xa6\x8a| |b"), "one of one token stays");
	/* nothing is missing, or another text differs */
	cr_expect_not(has_lost("a \xf0\x9f\xa6\x8a b", "a| |\xf0\x9f|\xa6\x8a| |b"));
	cr_expect_not(has_lost("a c", "a| |\xf0\x9f|\xa6\x8a|b"));
	cr_expect_not(has_lost("a", "a| |\xf0\x9f|\xa6\x8a"));
	cr_expect_not(has_lost("a b", "a| |b"));
	cr_expect_not(has_lost("", ""));
}
