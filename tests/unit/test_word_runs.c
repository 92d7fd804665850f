#include "analyzer/rows/word_runs.h"

#include <criterion/criterion.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "seeded.h"

static uint64_t runs[WORD_RUNS_LIMIT], others[WORD_RUNS_LIMIT];

Test(word_runs, a_run_begins_at_each_word_that_has_seven_behind_it)
{
	cr_assert_eq(word_runs_read(span_of(""), runs), 0);
	cr_assert_eq(word_runs_read(span_of("a b c d e f g"), runs), 0);
	cr_assert_eq(word_runs_read(span_of("a b c d e f g h"), runs), 1);
	cr_assert_eq(word_runs_read(span_of("a b c d e f g h i j"), runs), 3);
}

Test(word_runs, a_run_is_the_same_wherever_it_stands_and_whatever_parts_its_words)
{
	size_t n = word_runs_read(span_of("one two three four five six seven eight"), runs);
	size_t m = word_runs_read(
	        span_of("so, (zero) one, two-three\\nfour  five.six\tseven\\\"eight nine"), others);
	cr_assert_eq(n, 1);
	cr_assert_eq(m, 4);
	cr_assert_eq(runs[0], others[2]);
	for (size_t i = 0; i < m; i++) {
		cr_assert_eq(others[i] == runs[0], i == 2);
	}
}

Test(word_runs, the_order_of_words_and_where_they_end_make_other_runs)
{
	(void)word_runs_read(span_of("b a c d e f g h"), runs);
	(void)word_runs_read(span_of("a b c d e f g h"), others);
	cr_assert_neq(runs[0], others[0]);
	(void)word_runs_read(span_of("abcdefgh i c d e f g h"), runs);
	(void)word_runs_read(span_of("abcdefg hi c d e f g h"), others);
	cr_assert_neq(runs[0], others[0]);
}

/* Expected result, byte by byte: the words, each followed by a blank. */
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

Test(word_runs, are_found_wherever_they_lie_and_however_long_they_are)
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
		size_t n_runs = word_runs_read(buf_span(&text), runs);
		cr_assert_eq(word_runs_read(buf_span(&spelt), others), n_runs);
		cr_assert_arr_eq(
		        runs, others, n_runs * sizeof(*runs), "%.*s", (int)text.len, text.data);
	}
	buf_finish(&text);
	buf_finish(&spelt);
}

Test(word_runs, a_long_text_ends_at_the_limit)
{
	static char text[4 * WORD_RUNS_LIMIT];
	memset(text, 'a', sizeof(text));
	cr_assert_eq(word_runs_read((struct span){text, sizeof(text)}, runs), 0);
	for (size_t i = 0; i < sizeof(text); i += 2) {
		text[i] = ' ';
	}
	cr_assert_eq(word_runs_read((struct span){text, 1000}, runs), 500 - (WORD_RUN - 1));
	cr_assert_eq(word_runs_read((struct span){text, sizeof(text)}, runs), WORD_RUNS_LIMIT);
}
