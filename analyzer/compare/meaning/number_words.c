#include "analyzer/compare/meaning/number_words.h"

#include <string.h>

#include "base/letters.h"

struct numeral {
	const char *name;
	uint32_t value;
};

static const struct numeral small[] = {{"zero", 0}, {"one", 1}, {"two", 2}, {"three", 3},
        {"four", 4}, {"five", 5}, {"six", 6}, {"seven", 7}, {"eight", 8}, {"nine", 9}, {"ten", 10},
        {"eleven", 11}, {"twelve", 12}, {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15},
        {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
        {"thirty", 30}, {"forty", 40}, {"fifty", 50}, {"sixty", 60}, {"seventy", 70},
        {"eighty", 80}, {"ninety", 90}};
static const struct numeral large[] = {
        {"thousand", 3}, {"million", 6}, {"billion", 9}, {"trillion", 12}};

/* The word at s without case, of letters only; its length, 0: none. */
static size_t word_length(struct span s)
{
	size_t n = 0;
	while (n < s.len && n < 16 && is_letter(s.data[n])) {
		n++;
	}
	return n < s.len && is_word(s.data[n]) ? 0 : n;
}

static const struct numeral *find(struct span word, const struct numeral *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (span_is_nocase(word, list[i].name)) {
			return &list[i];
		}
	}
	return NULL;
}

size_t number_words_scale(struct span text, int32_t *ret_ten)
{
	size_t n = word_length(text);
	const struct numeral *l = find((struct span){text.data, n}, large, ARRAY_LEN(large));
	if (l) {
		*ret_ten = (int32_t)l->value;
	}
	return l ? n : 0;
}

/* Between two words of a number: one space or hyphen, and an "and" after a hundred. */
static size_t gap_length(struct span s, bool and)
{
	if (s.len == 0 || (s.data[0] != ' ' && s.data[0] != '-')) {
		return 0;
	}
	return and&&span_starts_nocase(s, " and ") ? 5 : 1;
}

struct tally {
	uint64_t total, group, last; /* last: the smallest power of a thousand so far */
	uint32_t unit;               /* of the group's last numeral: only smaller ones may follow */
	bool after_hundred;
};

/* Takes one word; false: it does not belong to the number. */
static bool take(struct tally *t, struct span word)
{
	static const uint64_t powers[] = {1000, 1000000, 1000000000, 1000000000000};
	const struct numeral *s = find(word, small, ARRAY_LEN(small));
	const struct numeral *l = find(word, large, ARRAY_LEN(large));
	if (s) {
		uint32_t unit = s->value >= 20 ? 10 : s->value >= 10 ? 2 : 1;
		/* "twenty" takes one to nine, a hundred takes anything, everything else nothing. */
		bool fits = t->unit == 0 || t->unit == 100 ||
		            (t->unit == 10 && unit == 1 && s->value > 0);
		if (!fits || (t->unit == 100 && s->value == 0)) {
			return false;
		}
		t->group += s->value;
		t->unit = unit;
		t->after_hundred = false;
		return true;
	}
	if (span_is_nocase(word, "hundred")) {
		if ((t->unit != 1 && t->unit != 2) || t->group == 0 || t->group > 99) {
			return false;
		}
		t->group *= 100;
		t->unit = 100;
		t->after_hundred = true;
		return true;
	}
	if (l) {
		uint64_t power = powers[l - large];
		if (t->group == 0 || (t->last && power >= t->last)) {
			return false;
		}
		t->total += t->group * power;
		t->last = power;
		t->group = 0;
		t->unit = 0;
		t->after_hundred = true;
		return true;
	}
	return false;
}

size_t number_words_read(struct span text, struct number *ret)
{
	struct tally t = {0};
	size_t end = 0, at = 0;
	for (;;) {
		size_t n = word_length(span_from(text, at));
		if (n == 0 || !take(&t, (struct span){text.data + at, n})) {
			break;
		}
		end = at + n;
		size_t gap = gap_length(span_from(text, end), t.after_hundred);
		if (gap == 0) {
			break;
		}
		at = end + gap;
	}
	if (end) {
		fraction_of_ratio(&ret->value, t.total + t.group, 1);
	}
	return end;
}
