#include "base/eight.h"

#include <criterion/criterion.h>

#include "base/letters.h"

/* Each byte in each of the eight places, among others that are not asked about. */
static void each(uint64_t (*marks_of)(uint64_t), bool (*is)(char))
{
	for (unsigned c = 0; c < 256; c++) {
		for (unsigned at = 0; at < 8; at++) {
			uint64_t eight = EIGHT_OF('_') ^ (uint64_t)('_' ^ c) << 8 * at;
			uint64_t wanted = is((char)c) ? UINT64_C(0x80) << 8 * at : 0;
			cr_assert_eq(marks_of(eight), wanted, "%u at %u", c, at);
		}
	}
}

static uint64_t points(uint64_t eight)
{
	return eight_are(eight, '.');
}

static bool is_point(char c)
{
	return c == '.';
}

static uint64_t high(uint64_t eight)
{
	return eight_are(eight, '\xe2');
}

static bool is_high(char c)
{
	return c == '\xe2';
}

static uint64_t digits(uint64_t eight)
{
	return eight_between(eight, '0', '9');
}

Test(eight, each_byte_is_marked_as_it_would_be_alone)
{
	each(points, is_point);
	each(high, is_high);
	each(digits, is_digit);
	each(eight_spaces, is_space);
	each(eight_uppers, is_upper);
}

Test(eight, only_capital_letters_of_ascii_become_small_ones)
{
	for (unsigned c = 0; c < 256; c++) {
		uint64_t eight = EIGHT_OF('A') ^ (uint64_t)('A' ^ c) << 24;
		uint64_t lower = EIGHT_OF('a') ^ (uint64_t)(uint8_t)('a' ^ to_lower((char)c)) << 24;
		cr_assert_eq(eight_lower(eight), lower, "%u", c);
	}
}

Test(eight, fewer_than_eight_bytes_have_zeros_behind_them)
{
	const char text[] = "abcdefghi";
	const uint64_t whole = UINT64_C(0x6867666564636261);
	cr_assert_eq(eight_load(text, 9), whole);
	cr_assert_eq(eight_load(text, 8), whole);
	for (size_t n = 1; n < 8; n++) {
		cr_assert_eq(eight_load(text, n), whole & UINT64_MAX >> (64 - 8 * n), "%zu", n);
	}
	cr_assert_eq(eight_load(text, 0), 0);
}

Test(eight, the_first_that_is_marked_is_told_and_none_is_eight)
{
	cr_assert_eq(eight_first(0), 8);
	cr_assert_eq(eight_first(eight_are(eight_load("abcabc", 6), 'c')), 2);
	cr_assert_eq(eight_first(eight_are(eight_load("abcdefgh", 8), 'h')), 7);
}

Test(eight, what_is_before_the_first_mark_is_told)
{
	cr_assert_eq(eight_before(0), UINT64_MAX);
	cr_assert_eq(eight_before(EIGHT_BITS), 0);
	for (unsigned at = 1; at < 8; at++) {
		uint64_t marks = EIGHT_BITS << 8 * at;
		cr_assert_eq(eight_before(marks), UINT64_MAX >> (64 - 8 * at), "%u", at);
	}
}
