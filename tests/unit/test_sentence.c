#include "analyzer/compare/meaning/sentence.h"

#include <criterion/criterion.h>

static enum sentence_difference difference_of(struct span a, struct span b)
{
	struct sentence x = {0}, y = {0};
	sentence_read(&x, a);
	sentence_read(&y, b);
	enum sentence_difference difference = sentence_compare(&x, &y);
	sentence_finish(&x);
	sentence_finish(&y);
	return difference;
}

static enum sentence_difference compare(const char *a, const char *b)
{
	enum sentence_difference there = difference_of(span_of(a), span_of(b));
	enum sentence_difference back = difference_of(span_of(b), span_of(a));
	cr_expect_eq(there, back, "<%s> and <%s>", a, b);
	cr_expect_eq(difference_of(span_of(a), span_of(a)), SENTENCE_EQUAL, "<%s>", a);
	return there;
}

#define EXPECT(difference, a, b)                                                                   \
	cr_expect_eq(compare(a, b), SENTENCE_##difference, "<%s> <%s>", a, b)

Test(sentence, one_number_for_another)
{
	EXPECT(NUMBER, "Take 5 mg of it.", "Take 50 mg of it.");
	EXPECT(NUMBER, "It was in 1648.", "It was in 1684.");
	EXPECT(NUMBER, "At 10:30 in room 4.", "At 10:45 in room 4.");
	EXPECT(NUMBER, "Of 5 eggs, all 5 are here.", "Of 6 eggs, all 6 are here.");
	EXPECT(OTHER, "1 in 5 of them", "2 in 10 of them");
	EXPECT(OTHER, "both 3 and 5", "both 5 and 3");
	EXPECT(OTHER, "Use Python 3.10 now.", "Use Python 3.1 now.");
	EXPECT(OTHER, "It is 3.14.", "It is 3.142.");
	EXPECT(OTHER, "It is 1,234.", "It is 1.234.");
	EXPECT(OTHER, "It is 1.2.3.", "It is 1.2.4.");
}

Test(sentence, one_name_for_another)
{
	EXPECT(NAME, "It is the city of Paris, on a river.", "It is the city of Lyon, on a river.");
	EXPECT(NAME, "We met on Monday.", "We met on Tuesday.");
	EXPECT(OTHER, "Paris is a city.", "Lyon is a city.");
	EXPECT(OTHER, "We saw Anna and Peter.", "We saw Peter and Anna.");
	EXPECT(OTHER, "the poet Ghandi", "the poet Gandhi");
	EXPECT(OTHER, "in the US today", "in the USA today");
	EXPECT(OTHER, "the cosmonaut Yuri", "the cosmonaut Juri");
	EXPECT(OTHER, "and Doctor Who", "and Dr Who");
	EXPECT(OTHER, "How To Bake Bread", "How To Make Bread");
	EXPECT(OTHER, "It is blue.", "It is red.");
}

Test(sentence, one_negation_more)
{
	EXPECT(NEGATION, "It is safe to eat.", "It is not safe to eat.");
	EXPECT(NEGATION, "There is hope for it.", "There is no hope for it.");
	EXPECT(NEGATION, "They met.", "They never met.");
	EXPECT(NEGATION, "It is safe.", "It isn't safe.");
	EXPECT(NEGATION, "You can do that.", "You can't do that.");
	EXPECT(NEGATION, "You can do that.", "You cannot do that.");
	EXPECT(OTHER, "It is safe.", "It is very safe.");
	EXPECT(OTHER, "It is possible.", "It is impossible.");
	EXPECT(OTHER, "It is not safe at all.", "It is safe.");
}

Test(sentence, similarity_is_the_share_of_common_words)
{
	cr_expect_float_eq(sentence_similarity_of(SPAN("a b c d"), SPAN("a b c e")), 0.75, 1e-9);
	cr_expect_float_eq(sentence_similarity_of(SPAN("One two!"), SPAN("two ONE.")), 1, 1e-9);
	cr_expect_float_eq(sentence_similarity_of(SPAN("a a a"), SPAN("a")), 0.5, 1e-9);
	cr_expect_float_eq(sentence_similarity_of(SPAN("a"), SPAN("b")), 0, 1e-9);
	cr_expect_float_eq(sentence_similarity_of(SPAN("+"), SPAN("-")), 0, 1e-9);
	cr_expect_float_eq(sentence_similarity_of(SPAN(""), SPAN("")), 1, 1e-9);
}

static bool loops(const char *head, const char *unit, int times)
{
	struct buf text = {0};
	struct sentence s = {0};
	buf_append_str(&text, head);
	for (int i = 0; i < times; i++) {
		buf_append_str(&text, unit);
	}
	sentence_read(&s, buf_span(&text));
	bool is = sentence_loops(&s);
	sentence_finish(&s);
	buf_finish(&text);
	return is;
}

Test(sentence, a_text_that_ends_in_a_loop)
{
	cr_expect(loops("Paris is ", "the ", 10));
	cr_expect(loops("So ", "I think that it is so. ", 4));
	cr_expect_not(loops("Well, ", "no ", 5));
	cr_expect_not(loops("So ", "I think that it is so. ", 3));
	cr_expect_not(loops("A line: ", "-", 80));
	cr_expect_not(loops("", "", 1));
	cr_expect_not(loops("", "f(x)", 30), "it ends with a bracket");
}
