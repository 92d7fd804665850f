#include "analyzer/compare/meaning/word.h"

#include <criterion/criterion.h>

#include "base/letters.h"

Test(word, it_goes_on_over_hyphens_and_apostrophes_within_it)
{
	cr_expect(span_is(word_at(SPAN("one-way fare"), 0), "one-way"));
	cr_expect(span_is(word_at(SPAN("Bob's"), 0), "Bob's"));
	cr_expect(span_is(word_at(SPAN("dogs' food"), 0), "dogs"));
	cr_expect(span_is(word_at(SPAN("a - b"), 0), "a"));
	cr_expect(span_is(word_at(SPAN("Élan St"), 0), "Élan"));
	cr_expect_eq(word_at(SPAN("-a"), 0).len, 0);
	cr_expect_eq(word_at(SPAN(""), 0).len, 0);
}

Test(word, the_next_one_is_found_behind_any_marks)
{
	struct span rest = SPAN("  (a) $b-c$ ."), word;
	cr_expect(word_next(&rest, &word) && span_is(word, "a"));
	cr_expect(word_next(&rest, &word) && span_is(word, "b-c"));
	cr_expect_not(word_next(&rest, &word));
	cr_expect_eq(rest.len, 0);
}

Test(word, its_letters_go_on_to_anything_else)
{
	cr_expect(span_is(word_letters(SPAN("5th-rate"), 1), "th"));
	cr_expect(span_is(word_letters(SPAN("naïve's"), 0), "naïve"));
	cr_expect_eq(word_letters(SPAN("5"), 0).len, 0);
	cr_expect_eq(word_letters(SPAN("a"), 1).len, 0);
}

Test(word, the_one_before_a_place_is_on_its_line)
{
	cr_expect(span_is(word_before(SPAN("so Bob's, x"), 10), "Bob's"));
	cr_expect(span_is(word_before(SPAN("so-called x"), 10), "so-called"));
	cr_expect_eq(word_before(SPAN("so\n x"), 4).len, 0);
	cr_expect_eq(word_before(SPAN("x"), 0).len, 0);
}

Test(word, white_space_parts_what_is_counted)
{
	struct span words[3];
	cr_expect_eq(word_count(SPAN(" a  b,c\nd ")), 3);
	cr_expect_eq(word_count(SPAN("")), 0);
	cr_expect_eq(word_split(SPAN("a b"), 2, words), 2);
	cr_expect(span_is(words[1], "b"));
	cr_expect_eq(word_split(SPAN("a b c d"), 2, words), 3);
	cr_expect_eq(word_split(SPAN(" \na "), 2, words), 1);
	cr_expect(span_is(words[0], "a"));
	cr_expect_eq(word_split(SPAN(" "), 2, words), 0);
}
