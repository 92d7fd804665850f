#include "analyzer/causes/cause_words.h"

#include <criterion/criterion.h>

#include "base/letters.h"
#include "base/mem.h"
#include "seeded.h"

static uint64_t runs[CAUSE_WORDS_MOST(CAUSE_WORDS_TEXT)], others[ARRAY_LEN(runs)];

Test(cause_words, a_run_begins_at_each_word_that_has_seven_behind_it)
{
	cr_assert_eq(cause_words_read(span_of(""), runs), 0);
	cr_assert_eq(cause_words_read(span_of("a b c d e f g"), runs), 0);
	cr_assert_eq(cause_words_read(span_of("a b c d e f g h"), runs), 1);
	cr_assert_eq(cause_words_read(span_of("a b c d e f g h i j"), runs), 3);
}

Test(cause_words, a_run_is_the_same_wherever_it_stands_and_whatever_parts_its_words)
{
	size_t n = cause_words_read(span_of("one two three four five six seven eight"), runs);
	size_t m = cause_words_read(
	        span_of("so, (zero) one, two-three\\nfour  five.six\tseven\\\"eight nine"), others);
	cr_assert_eq(n, 1);
	cr_assert_eq(m, 4);
	cr_assert_eq(runs[0], others[2]);
	for (size_t i = 0; i < m; i++) {
		cr_assert_eq(others[i] == runs[0], i == 2);
	}
}

Test(cause_words, the_order_of_words_and_where_they_end_make_other_runs)
{
	(void)cause_words_read(span_of("b a c d e f g h"), runs);
	(void)cause_words_read(span_of("a b c d e f g h"), others);
	cr_assert_neq(runs[0], others[0]);
	(void)cause_words_read(span_of("abcdefgh i c d e f g h"), runs);
	(void)cause_words_read(span_of("abcdefg hi c d e f g h"), others);
	cr_assert_neq(runs[0], others[0]);
}

/* Byte by byte: the words, with one blank behind each. */
static void spell_words(const struct buf *text, struct buf *ret)
{
	bool inside = false;
	buf_clear(ret);
	for (size_t i = 0; i < text->len; i++) {
		bool word = is_letter(text->data[i]) || is_digit(text->data[i]);
		if (word) {
			buf_append_char(ret, text->data[i]);
		} else if (inside) {
			buf_append_char(ret, ' ');
		}
		inside = word;
		i += text->data[i] == '\\';
	}
}

Test(cause_words, are_found_wherever_they_lie_and_however_long_they_are)
{
	static const char *const pieces[] = {"a", "Z9", "word", "longer-than", "eightchr",
	        "seventeen_letters", "ninechars", "äöü", " ", ", ", "\\n", "\\\\", "\\\\n", "\\",
	        "`{@[", "a rather-long_one.which/has:many@parts",
	        "abcdefghijklmnopqrstuvwxyz0123456789"};
	struct buf text = {0}, spelt = {0};
	for (size_t i = 0; i < 3000; i++) {
		size_t n = below(200);
		buf_clear(&text);
		while (text.len < n) {
			buf_append_str(&text, pieces[below(ARRAY_LEN(pieces))]);
		}
		spell_words(&text, &spelt);
		size_t n_runs = cause_words_read(buf_span(&text), runs);
		cr_assert_eq(cause_words_read(buf_span(&spelt), others), n_runs);
		cr_assert_arr_eq(
		        runs, others, n_runs * sizeof(*runs), "%.*s", (int)text.len, text.data);
	}
	buf_finish(&text);
	buf_finish(&spelt);
}

Test(cause_words, of_a_text_as_long_as_may_be_are_all_found)
{
	static char text[CAUSE_WORDS_TEXT];
	memset(text, 'a', sizeof(text));
	cr_assert_eq(cause_words_read((struct span){text, sizeof(text)}, runs), 0);
	for (size_t i = 0; i < sizeof(text); i += 2) {
		text[i] = ' ';
	}
	size_t n = cause_words_read((struct span){text, sizeof(text)}, runs);
	cr_assert_eq(n, sizeof(text) / 2 - (CAUSE_WORDS_RUN - 1));
	cr_assert_leq(n, CAUSE_WORDS_MOST(sizeof(text)));
}

Test(cause_words, of_two_texts_that_say_the_same_are_noted_as_if_one_by_one)
{
	struct cause_words w = {0}, v = {0};
	struct cause_run found, ought;
	size_t n = cause_words_read(span_of("a b c d e f g h a b c d e f g h"), runs);
	cause_words_ask(&w, runs, n);
	cause_words_ask(&v, runs, n);
	for (uint32_t i = 1; i < 10; i += 3) {
		cause_words_note(&w, runs, n, i, 2);
		cause_words_note(&v, runs, n, i, 1);
		cause_words_note(&v, runs, n, i + 1, 1);
		for (size_t k = 0; k < n; k++) {
			bool rare = cause_words_find(&w, runs[k], &found);
			cr_assert_eq(rare, cause_words_find(&v, runs[k], &ought));
			cr_assert_eq(found.n, ought.n);
			cr_assert_arr_eq(found.where, ought.where,
			        MIN(found.n, (size_t)CAUSE_WORDS_RARE) * sizeof(*found.where));
		}
	}
	cause_words_finish(&w);
	cause_words_finish(&v);
}

Test(cause_words, texts_are_told_of_runs_that_were_asked_about_until_they_are_common)
{
	struct cause_words w = {0};
	struct cause_run found;
	size_t n = cause_words_read(span_of("a b c d e f g h i j"), runs);
	(void)cause_words_read(span_of("some words that nobody has asked about so far"), others);
	cause_words_ask(&w, runs, n);
	cause_words_note(&w, runs, 1, 3, 1);
	cause_words_note(&w, others, 1, 4, 1);
	cause_words_note(&w, runs, 1, 5, 1);
	cause_words_note(&w, runs, 1, 5, 1);
	cr_assert(cause_words_find(&w, runs[0], &found));
	cr_assert_eq(found.n, 2);
	cr_assert_eq(found.where[0], 3);
	cr_assert_eq(found.where[1], 5);
	for (uint32_t i = 6; i < 6 + CAUSE_WORDS_RARE; i++) {
		cause_words_note(&w, runs, 1, i, 1);
	}
	cr_assert_not(cause_words_find(&w, runs[0], &found));
	cr_assert(cause_words_find(&w, runs[1], &found));
	cr_assert_eq(found.n, 0);
	cause_words_finish(&w);
}

Test(cause_words, an_index_that_was_cleared_is_like_a_fresh_one)
{
	static uint64_t many[20000];
	struct cause_words w = {0}, fresh = {0};
	struct cause_run found, ought;
	for (size_t i = 0; i < ARRAY_LEN(many); i++) {
		many[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	}
	cause_words_clear(&w);
	cause_words_ask(&w, many, ARRAY_LEN(many));
	for (uint32_t text = 0; text < 10; text++) {
		cause_words_note(&w, many, ARRAY_LEN(many) / 2, text, 1);
	}
	cause_words_clear(&w);
	cr_assert(cause_words_find(&w, many[0], &found));
	cr_assert_eq(found.n, 0);
	cause_words_note(&w, many, ARRAY_LEN(many), 1, 1);
	cause_words_ask(&w, many + 100, 300);
	cause_words_ask(&fresh, many + 100, 300);
	cause_words_note(&w, many, ARRAY_LEN(many), CAUSE_WORDS_TEXTS - 2, 2);
	cause_words_note(&fresh, many, ARRAY_LEN(many), CAUSE_WORDS_TEXTS - 2, 2);
	for (size_t i = 0; i < 500; i++) {
		cr_assert_eq(cause_words_find(&w, many[i], &found),
		        cause_words_find(&fresh, many[i], &ought));
		cr_assert_eq(found.n, ought.n);
		cr_assert_eq(found.n, i >= 100 && i < 400 ? 2 : 0);
		cr_assert(found.n == 0 || found.where[1] == CAUSE_WORDS_TEXTS - 1);
	}
	cause_words_finish(&w);
	cause_words_finish(&fresh);
}
