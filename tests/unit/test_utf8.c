#include "base/utf8.h"

#include <string.h>

#include <criterion/criterion.h>

Test(utf8, the_end_of_ascii_is_found_wherever_it_lies_and_not_behind_the_text)
{
	char text[64];
	for (size_t n = 0; n <= sizeof(text); n++) {
		for (size_t at = 0; at < sizeof(text); at++) {
			memset(text, '\x7f', sizeof(text));
			text[at] = (char)(at % 2 ? 0x80 : 0xff);
			const char *end = text + n, *ought = at < n ? text + at : end;
			cr_assert_eq(utf8_ascii_end(text, end), ought, "%zu of %zu", at, n);
		}
	}
}
