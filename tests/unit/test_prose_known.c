#include "analyzer/compare/meaning/prose_known.h"

#include <criterion/criterion.h>

static uint32_t flags_of(const char *word)
{
	return prose_known(span_of(word))->flags;
}

Test(prose_known, words_are_found_in_any_case)
{
	cr_expect_eq(flags_of("the"), KNOWN_THE);
	cr_expect_eq(flags_of("The"), KNOWN_THE);
	cr_expect_eq(flags_of("nor"), KNOWN_JOINT | KNOWN_NEGATION);
	cr_expect_eq(flags_of("impossible"), KNOWN_NEGATION);
	cr_expect_str_eq(prose_known(span_of("Twelve"))->digits, "12");
}

Test(prose_known, nothing_is_known_of_others)
{
	cr_expect_eq(flags_of(""), 0);
	cr_expect_eq(flags_of("then"), 0);
	cr_expect_eq(flags_of("th"), 0);
	cr_expect_eq(prose_known((struct span){"the\0", 4})->flags, 0);
}
