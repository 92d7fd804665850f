#include "analyzer/meaning/prose_known.h"

#include <criterion/criterion.h>

#include "base/buf.h"

static const struct prose_known *known_of(const char *word)
{
	size_t n = strlen(word);
	return prose_known(eight_load(word, n), n);
}

Test(prose_known, each_word_is_found)
{
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(prose_known_words); i++) {
		const struct prose_known *known = &prose_known_words[i];
		n += known->n > 0;
		cr_assert_eq(strlen(known->word), known->n);
		cr_assert(known->n == 0 || known_of(known->word) == known, "%s", known->word);
		cr_assert_eq(!*known->digits, !(known->flags & KNOWN_NUMERAL));
	}
	cr_expect_eq(n, 45);
}

Test(prose_known, what_is_known_of_them)
{
	cr_expect_eq(known_of("the")->flags, KNOWN_THE);
	cr_expect_eq(known_of("nor")->flags, KNOWN_JOINT | KNOWN_NEGATION);
	cr_expect_eq(known_of("two")->flags, KNOWN_PARTED | KNOWN_NUMERAL);
	cr_expect_str_eq(known_of("two")->digits, "2");
	cr_expect_str_eq(known_of("twelve")->digits, "12");
	cr_expect_eq(known_of("one")->flags, KNOWN_PARTED);
	cr_expect_eq(known_of("nothing")->flags, KNOWN_NEGATION);
}

Test(prose_known, nothing_is_known_of_others)
{
	cr_expect_eq(prose_known(0, 0)->flags, 0);
	cr_expect_eq(prose_known(eight_load("the\0", 4), 4)->flags, 0);
	cr_expect_eq(prose_known(eight_load("nothings", 8), 8)->flags, 0);
	cr_expect_eq(prose_known(eight_load("the", 3), 3 + 256)->flags, 0);
	for (size_t i = 0; i < ARRAY_LEN(prose_known_words); i++) {
		char word[9] = {0};
		size_t n = prose_known_words[i].n;
		memcpy(word, prose_known_words[i].word, sizeof(prose_known_words[i].word));
		word[n] = 'q';
		cr_assert_eq(known_of(word)->flags, 0, "%s", word);
		word[n] = '\0';
		word[n ? n - 1 : 0] = 'q';
		cr_assert_eq(known_of(word)->flags, 0, "%s", word);
	}
}
