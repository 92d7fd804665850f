#include "analyzer/compare/meaning/exchange.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/letters.h"

/* The number that both tell is 12. */
static bool beside(const char *a, const char *b)
{
	const char *at_a = strstr(a, "12"), *at_b = strstr(b, "12");
	bool there = exchange_beside(
	        span_of(a), span_between(at_a, at_a + 2), span_of(b), span_between(at_b, at_b + 2));
	bool back = exchange_beside(
	        span_of(b), span_between(at_b, at_b + 2), span_of(a), span_between(at_a, at_a + 2));
	cr_expect_eq(there, back, "%s, %s", a, b);
	return there;
}

#define EXCHANGED(a, b) cr_expect(beside(a, b), "%s, %s", a, b)
#define SAME(a, b) cr_expect_not(beside(a, b), "%s, %s", a, b)

Test(exchange, a_word_or_two_in_one_place_are_exchanged)
{
	EXCHANGED("So the cat weighs 12 kg", "So the dog weighs 12 kg");
	EXCHANGED("So the profit is 12", "So the gross profit is 12");
	EXCHANGED("So 12 dogs bit cats", "So 12 cats bit dogs");
	cr_expect(exchange_of_words(SPAN("it is legal"), SPAN("it is legal in Texas")));
}

Test(exchange, more_words_are_beside_one_that_is_the_same_or_between_two)
{
	EXCHANGED("So the old red dog weighs 12 kg", "So the big blue cat weighs 12 kg");
	EXCHANGED("So 12 red balls", "So 12 blue and green balls");
	EXCHANGED("So the boy with no hat at all on his head has 12", "So the boy has 12");
}

Test(exchange, in_several_places_most_words_are_the_same)
{
	EXCHANGED("So each red box weighs 12 kg when full",
	        "So each blue box weighs 12 kg when empty");
	EXCHANGED("So the red dog weighs 12 kg now", "So the blue cat weighs 12 kg then");
	EXCHANGED("So there is balance is 12", "So is there balance is 12");
	SAME("Adding all that she was given we find that she owns 12 apples", "So there are 12");
}

Test(exchange, what_a_sentence_begins_with_articles_and_totals_say_nothing)
{
	SAME("So the total cost is 12", "The cost is 12 in total");
	SAME("Therefore, a dog has exactly 12", "The dog has 12");
	SAME("So there are 12 apples left", "So 12 apples are left");
	EXCHANGED("So the way there is 12", "So the way is 12");
}

Test(exchange, numbers_are_no_words_and_excuse_none_beside_them)
{
	SAME("She has 3 dogs and 12 cats", "She has dogs and 12 cats");
	EXCHANGED("So it costs 12 for two", "So it costs 12");
	EXCHANGED("So 3 large pizzas cost 12", "So a small drink cost 12");
	EXCHANGED("So one dog has 12", "So the dogs have 12");
	EXCHANGED("So the one-way fare is 12", "So the fare is 12");
}

Test(exchange, a_sum_says_only_how_the_number_came_about)
{
	SAME("So the total is 3 + 9 = 12", "So the total is 12");
	SAME("So she earns 3 hours * 4 dollars = 12 dollars", "So she earns 12 dollars");
	EXCHANGED("So the average is 3 + 9 = 12", "So the sum is 12");
	SAME("She picks 3 each day for 4 days so she has 12", "She has 12");
}

Test(exchange, what_parts_of_a_word_are_joined_by_is_no_sign_of_a_sum)
{
	EXCHANGED("So 2 e-books = 12", "So 2 e-bikes = 12");
	EXCHANGED("So 2 red/blue pens = 12", "So 2 green/black pens = 12");
	EXCHANGED("So 2 F-16 models = 12", "So 2 F-16 books = 12");
	EXCHANGED("So 3 2-liter jars = 12", "So 3 2-liter cans = 12");
	EXCHANGED("So 2 24/7 passes = 12", "So 2 24/7 lines = 12");
	EXCHANGED("So 2 C++ books = 12", "So 2 C++ pens = 12");
	EXCHANGED("So 2 pre- and post-war books = 12", "So 2 pre- and post-war maps = 12");
	SAME("So the total is 24/2 = 12", "So the total is 12");
	SAME("So she has 3+9 apples = 12 apples", "So she has 12 apples");
	SAME("So the cost is 3 x $4 = 12", "So the cost is 12");
}
