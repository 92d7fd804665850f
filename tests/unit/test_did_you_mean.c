#include <criterion/criterion.h>

#include "base/did_you_mean.h"

Test(did_you_mean, the_nearest_word_is_near_or_none)
{
	static const char *const WORDS[] = {"listen", "references", "max_concurrency", "url", NULL};
	cr_assert_str_eq(nearest_word("lisetn", WORDS), "listen");
	cr_assert_str_eq(nearest_word("Listen", WORDS), "listen");
	cr_assert_str_eq(nearest_word("reference", WORDS), "references");
	cr_assert_str_eq(nearest_word("max-concurency", WORDS), "max_concurrency");
	cr_assert_str_eq(nearest_word("max_c", WORDS), "max_concurrency");
	cr_assert_str_eq(nearest_word("uri", WORDS), "url");
	cr_assert_null(nearest_word("banana", WORDS));
	cr_assert_null(nearest_word("", WORDS));
}

Test(did_you_mean, a_message_ends_with_the_word_or_with_nothing)
{
	cr_assert_str_eq(did_you_mean("", "url").text, "; did you mean url?");
	cr_assert_str_eq(did_you_mean("--", "url").text, "; did you mean --url?");
	cr_assert_str_eq(did_you_mean("--", NULL).text, "");
}
