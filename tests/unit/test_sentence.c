#include "analyzer/compare/meaning/sentence.h"

#include <criterion/criterion.h>

#include "base/letters.h"

static bool first_is(const char *text, const char *sentence)
{
	return span_is(sentence_first(span_of(text), SIZE_MAX), sentence);
}

Test(sentence, the_first_one_ends_at_a_point_before_a_blank_or_with_its_line)
{
	cr_expect(first_is("It is 5. So it is.", "It is 5"));
	cr_expect(first_is(" It is 5.5 then\nSo it is.", "It is 5.5 then"));
	cr_expect(first_is("", ""));
}

Test(sentence, the_point_of_a_shortened_word_or_a_numbering_ends_none)
{
	cr_expect(first_is("He met Dr. Watson. So", "He met Dr. Watson"));
	cr_expect(first_is("1. Paris", "1. Paris"));
	cr_expect(first_is("No. It is.", "No"));
	cr_expect(first_is("See no. 5. So", "See no. 5"));
}

Test(sentence, of_a_long_one_more_than_asked_for_is_given_and_not_all)
{
	struct span s = sentence_first(SPAN("aaaa bbbb cccc dddd"), 5);
	cr_expect_gt(s.len, 5);
	cr_expect_lt(s.len, 19);
}

Test(sentence, the_one_around_a_place_has_neither_its_end_nor_what_is_before)
{
	struct span text = SPAN("So it is. It is 5! Then\nno more");
	cr_expect(span_is(span_trim(sentence_around(text, text.data + 12)), "It is 5"));
	cr_expect(span_is(sentence_around(text, text.data + 2), "So it is"));
	cr_expect(span_is(sentence_around(text, text.data + text.len), "no more"));
}

Test(sentence, what_stands_behind_a_text_is_not_read)
{
	struct span text = {"It is 5. So", 8};
	cr_expect(span_is(sentence_around(text, text.data + text.len), "It is 5."));
}
