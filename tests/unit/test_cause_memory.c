#include "analyzer/compare/tokens/cause_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "seeded.h"

static struct span word(char text[24], size_t n)
{
	snprintf(text, 24, n % 3 ? "w%zu" : "longer word %zu", n);
	return span_of(text);
}

Test(cause_memory, knows_a_token_until_the_window_is_over)
{
	static struct cause_memory m;
	cause_memory_begin(&m);
	cause_memory_add(&m, span_of("the"), 10);
	cr_expect(cause_memory_has(&m, span_of("the"), 11));
	cr_expect(cause_memory_has(&m, span_of("the"), 10 + CAUSE_MEMORY_WINDOW));
	cr_expect_not(cause_memory_has(&m, span_of("the"), 11 + CAUSE_MEMORY_WINDOW));
	cr_expect_not(cause_memory_has(&m, span_of("then"), 11));
	cause_memory_add(&m, span_of("the"), 200);
	cr_expect(cause_memory_has(&m, span_of("the"), 200 + CAUSE_MEMORY_WINDOW));
}

Test(cause_memory, an_answer_knows_nothing_of_the_one_before)
{
	static struct cause_memory m;
	cause_memory_begin(&m);
	cause_memory_add(&m, span_of("the"), 0);
	cause_memory_begin(&m);
	cr_expect_not(cause_memory_has(&m, span_of("the"), 1));
}

/* With realistic answers, the filter forgets few words and invents none. */
Test(cause_memory, forgets_few_tokens_of_a_long_answer_and_invents_none)
{
	static struct cause_memory m;
	uint32_t last[400] = {0}, within = 0, known = 0;
	char text[24];
	random_state = 9;
	cause_memory_begin(&m);
	for (uint32_t i = 1; i < 4000; i++) {
		size_t asked = below(400), added = below(400);
		bool truth = last[asked] && i - last[asked] <= CAUSE_MEMORY_WINDOW;
		bool found = cause_memory_has(&m, word(text, asked), i);
		cr_assert(!found || truth);
		within += truth;
		known += found;
		cause_memory_add(&m, word(text, added), i);
		last[added] = i;
	}
	cr_expect(known * 100 >= within * 97, "%u of %u", known, within);
}
