#include "base/sixteen.h"

#include <criterion/criterion.h>

Test(sixteen, the_first_that_is_marked_is_told_and_none_is_sixteen)
{
	char text[16];
	memset(text, 'a', sizeof(text));
	cr_assert_eq(sixteen_first(sixteen_load(text) == 'b'), 16);
	for (size_t i = sizeof(text); i-- > 0;) {
		text[i] = 'b';
		cr_assert_eq(sixteen_first(sixteen_load(text) == 'b'), i);
	}
}

Test(sixteen, bytes_beyond_ascii_are_above_all_others)
{
	char text[] = "0123456789abcde\x80";
	cr_assert_eq(sixteen_first(sixteen_load(text) > 'e'), 15);
	cr_assert_eq(sixteen_first(sixteen_load(text) <= '9'), 0);
}
