#include "base/sieve.h"

#include <string.h>

#include <criterion/criterion.h>

#include "seeded.h"

#define LENGTH 300

/* Byte by byte. */
static const char *ought(const char *of, const char *at, const char *end)
{
	while (at < end && !(*at && strchr(of, *at))) {
		at++;
	}
	return at;
}

Test(sieve, finds_the_next_of_its_bytes_wherever_it_lies)
{
	static const struct sieve sieve = {{'*', '\n', '$', '\xff', '\x80', '`'}};
	static const char of[] = "*\n$\xff\x80`";
	char text[LENGTH];
	for (size_t n = 0; n < LENGTH; n++) {
		for (size_t k = 0; k < n; k++) {
			text[k] = below(60) ? (char)below(40) : of[below(sizeof(of) - 1)];
		}
		for (size_t from = 0; from <= n; from++) {
			const char *end = text + n;
			cr_assert_eq(sieve_next(&sieve, text + from, end),
			        ought(of, text + from, end), "%zu of %zu", from, n);
		}
	}
}

Test(sieve, sees_nothing_behind_the_end)
{
	static const struct sieve sieve = {{'a', 'a', 'a', 'a', 'a', 'a'}};
	char text[LENGTH];
	memset(text, 'a', sizeof(text));
	for (size_t n = 0; n < LENGTH; n++) {
		memset(text, 'b', n);
		cr_assert_eq(sieve_next(&sieve, text, text + n), text + n);
	}
	cr_assert_null(sieve_next(&sieve, NULL, NULL));
}
