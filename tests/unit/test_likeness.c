#include "analyzer/compare/meaning/likeness.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#define SENTENCE "It is twelve, since three times four is twelve. "

static double ratio(const char *a, const char *b)
{
	return likeness_ratio(span_of(a), span_of(b));
}

static void near(double is, double should)
{
	cr_assert(fabs(is - should) < 1e-12, "%.17g is not %.17g", is, should);
}

/* The numbers are those of Python 3.11's difflib. */
Test(likeness, is_what_difflib_says_of_short_texts)
{
	near(ratio("abcd", "bcde"), 0.75);
	near(ratio("the cat sat", "the hat was"), 0.7272727272727273);
	near(ratio("same", "same"), 1);
	near(ratio("", ""), 1);
	near(ratio("", "x"), 0);
}

Test(likeness, counts_characters_and_not_bytes)
{
	near(ratio("na\xc3\xafve caf\xc3\xa9", "naive cafe"), 0.8);
}

Test(likeness, passes_over_what_is_common_in_long_texts_as_difflib_does)
{
	char a[301], b[301];
	for (size_t i = 0; i < 300; i++) {
		a[i] = "ab"[i % 2];
		b[i] = "ba"[i % 2];
	}
	a[300] = b[300] = '\0';
	near(ratio(a, b), 0);
	struct buf ten = {0}, with_x = {0}, other_end = {0};
	for (size_t i = 0; i < 10; i++) {
		buf_append_str(&ten, SENTENCE);
		buf_append_str(&other_end, i < 9 ? SENTENCE : "No.");
	}
	buf_append_span(&with_x, buf_span(&ten));
	with_x.len = 200;
	buf_append_char(&with_x, 'X');
	buf_append(&with_x, ten.data + 200, ten.len - 200);
	near(likeness_ratio(buf_span(&ten), buf_span(&with_x)), 0.4162330905306972);
	near(likeness_ratio(buf_span(&ten), buf_span(&other_end)), 0.9442622950819672);
	buf_finish(&ten);
	buf_finish(&with_x);
	buf_finish(&other_end);
}

Test(likeness, does_not_begin_with_texts_that_are_too_long)
{
	struct buf a = {0};
	for (size_t i = 0; i <= LIKENESS_LIMIT; i++) {
		buf_append_char(&a, 'a');
	}
	cr_assert(isnan(likeness_ratio(buf_span(&a), span_of("a"))));
	a.len--;
	cr_assert_not(isnan(likeness_ratio(buf_span(&a), span_of("a"))));
	buf_finish(&a);
}
