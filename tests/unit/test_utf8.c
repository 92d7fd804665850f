#include "base/utf8.h"

#include <criterion/criterion.h>

Test(utf8, what_steers_a_terminal_or_the_direction_of_writing_is_not_shown)
{
	static const uint32_t HIDDEN[] = {0, 0x1b, 0x1f, 0x7f, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028,
	        0x202e, 0x2066, 0x2069, 0xfffe, 0xffff, 0x1fffe, 0x10ffff};
	static const uint32_t SHOWN[] = {' ', '~', 0xa0, 0x61b, 0x61d, 0x200d, 0x2010, 0x2027,
	        0x202f, 0x2065, 0x206a, 0xfffd, 0x10000, 0x10fffd};
	for (size_t i = 0; i < sizeof(HIDDEN) / sizeof(*HIDDEN); i++) {
		cr_expect_not(utf8_is_shown(HIDDEN[i]), "U+%04X", HIDDEN[i]);
	}
	for (size_t i = 0; i < sizeof(SHOWN) / sizeof(*SHOWN); i++) {
		cr_expect(utf8_is_shown(SHOWN[i]), "U+%04X", SHOWN[i]);
	}
}
