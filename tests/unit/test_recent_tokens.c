#include "analyzer/compare/tokens/recent_tokens.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "seeded.h"

static struct span word(char text[24], size_t n)
{
	snprintf(text, 24, n % 3 ? "w%zu" : "longer word %zu", n);
	return span_of(text);
}

Test(recent_tokens, knows_a_token_until_the_window_is_over)
{
	static struct recent_tokens m;
	recent_tokens_begin(&m);
	recent_tokens_add(&m, span_of("the"), 10);
	cr_expect(recent_tokens_has(&m, span_of("the"), 11));
	cr_expect(recent_tokens_has(&m, span_of("the"), 10 + RECENT_TOKENS_WINDOW));
	cr_expect_not(recent_tokens_has(&m, span_of("the"), 11 + RECENT_TOKENS_WINDOW));
	cr_expect_not(recent_tokens_has(&m, span_of("then"), 11));
	recent_tokens_add(&m, span_of("the"), 200);
	cr_expect(recent_tokens_has(&m, span_of("the"), 200 + RECENT_TOKENS_WINDOW));
}

Test(recent_tokens, an_answer_knows_nothing_of_the_one_before)
{
	static struct recent_tokens m;
	recent_tokens_begin(&m);
	recent_tokens_add(&m, span_of("the"), 0);
	recent_tokens_begin(&m);
	cr_expect_not(recent_tokens_has(&m, span_of("the"), 1));
}

/* With realistic answers, the filter forgets few words and invents none. */
Test(recent_tokens, forgets_few_tokens_of_a_long_answer_and_invents_none)
{
	static struct recent_tokens m;
	uint32_t last[400] = {0}, within = 0, known = 0;
	char text[24];
	random_state = 9;
	recent_tokens_begin(&m);
	for (uint32_t i = 1; i < 4000; i++) {
		size_t asked = below(400), added = below(400);
		bool truth = last[asked] && i - last[asked] <= RECENT_TOKENS_WINDOW;
		bool found = recent_tokens_has(&m, word(text, asked), i);
		cr_assert(!found || truth);
		within += truth;
		known += found;
		recent_tokens_add(&m, word(text, added), i);
		last[added] = i;
	}
	cr_expect(known * 100 >= within * 97, "%u of %u", known, within);
}
