#include "analyzer/compare/meaning/left_letters.h"

#include <string.h>

#include "base/letters.h"

static bool is_between(struct span s, const char *first, const char *last)
{
	size_t n = strlen(first);
	return s.len >= n && memcmp(s.data, first, n) >= 0 && memcmp(s.data, last, n) <= 0;
}

size_t left_letters_sign(struct span s)
{
	static const char *const signs[][2] = {{"¼", "¾"}, {"²", "³"}, {"¹", "¹"}, {"×", "×"},
	        {"÷", "÷"}, {"·", "·"}, {"±", "±"}, {"⁰", "ⁿ"}, {"⅐", "⅞"}, {"•", "•"}, {"∀", "⋿"},
	        {"⌈", "⌋"}};
	for (size_t i = 0; i < ARRAY_LEN(signs) && s.len && (*s.data & 0x80); i++) {
		if (is_between(s, signs[i][0], signs[i][1])) {
			return strlen(signs[i][0]);
		}
	}
	return 0;
}

void left_letters_count(struct span run, struct left_letters *ret)
{
	*ret = (struct left_letters){.capitals = true, .formula = true};
	while (run.len && run.data[run.len - 1] == '\'') {
		run.len--;
	}
	for (size_t i = 0; i < run.len; i++) {
		unsigned char c = (unsigned char)run.data[i];
		struct span here = span_from(run, i);
		if (is_between(here, "₀", "ₜ") || is_between(here, "′", "″")) {
			i += 2;
			continue;
		}
		bool greek = (c == 0xce || c == 0xcf) && i + 1 < run.len;
		i += greek;
		ret->count++;
		ret->capitals &= is_upper(run.data[i]);
		ret->formula &= greek || is_latin((char)c);
	}
}
