#include "analyzer/cause_words.h"

#include <criterion/criterion.h>

#include "base/mem.h"

static uint64_t runs[64], others[64];

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

Test(cause_words, texts_are_told_of_runs_that_were_asked_about_until_they_are_common)
{
	struct cause_words w = {0};
	struct cause_run found;
	size_t n = cause_words_read(span_of("a b c d e f g h i j"), runs);
	(void)cause_words_read(span_of("some words that nobody has asked about so far"), others);
	cause_words_ask(&w, runs, n);
	cause_words_note(&w, runs, 1, 3);
	cause_words_note(&w, others, 1, 4);
	cause_words_note(&w, runs, 1, 5);
	cause_words_note(&w, runs, 1, 5);
	cr_assert(cause_words_find(&w, runs[0], &found));
	cr_assert_eq(found.n, 2);
	cr_assert_eq(found.where[0], 3);
	cr_assert_eq(found.where[1], 5);
	for (uint32_t i = 6; i < 6 + CAUSE_WORDS_RARE; i++) {
		cause_words_note(&w, runs, 1, i);
	}
	cr_assert_not(cause_words_find(&w, runs[0], &found));
	cr_assert(cause_words_find(&w, runs[1], &found));
	cr_assert_eq(found.n, 0);
	cause_words_finish(&w);
}
