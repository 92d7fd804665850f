#include "analyzer/compare/meaning/value.h"

#include <math.h>
#include <string.h>

#include "analyzer/compare/meaning/sentence.h"
#include "base/ascii.h"

/* Without the full stop at its end. */
static struct span without_stop(struct span s)
{
	bool stop = s.len > 1 && s.data[s.len - 1] == '.' && s.data[s.len - 2] != '.';
	s.len -= stop;
	return s;
}

/* Whether the full stop may belong to the single letter or mark before it. */
static bool may_own_stop(struct span s)
{
	char last = s.data[s.len - 1];
	return !is_digit(last) && !is_any(last, ")]%\"'") &&
	       !(is_letter(last) && s.len > 1 && is_word(s.data[s.len - 2]));
}

/* Reads the variable of "x = 5" and returns its value. */
static struct span read_variable(struct span s, struct value *v)
{
	size_t at = 1;
	if (s.len < 3 || !is_latin(*s.data)) {
		return s;
	}
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	if (at + 1 >= s.len || s.data[at] != '=' || s.data[at + 1] == '=') {
		return s;
	}
	v->variable = (struct span){s.data, 1};
	return span_trim(span_from(s, at + 1));
}

/* Takes "thousand", "million" or "billion" off the beginning of *rest, if it is there. */
static bool take_scale(struct span *rest, struct value *v)
{
	static const char *const words[] = {"thousand", "million", "billion"};
	natural by = 1;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		by *= 1000;
		if (span_starts_words(*rest, words[i])) {
			*rest = span_trim(span_from(*rest, strlen(words[i])));
			v->number.trailing_zeros = false;
			v->number.decimals = 0;
			return number_multiply(&v->number, by, 1);
		}
	}
	return true;
}

/* "$5", "5 km", "1.5 million": a number with its unit, if it has one. */
static bool read_quantity(struct span s, struct value *v)
{
	bool minus = span_starts(s, "-");
	const struct unit *money = unit_of_currency(span_from(s, minus));
	s = money ? span_from(s, minus + strlen(money->symbol)) : s;
	size_t n = number_read(s, &v->number);
	if (n == 0) {
		return false;
	}
	v->number.negative |= money && minus && v->number.num;
	v->written = (struct span){s.data, n};
	struct span rest = span_trim(span_from(s, n));
	if (!take_scale(&rest, v)) {
		return false;
	}
	v->unit = rest.len ? unit_of(rest) : money;
	return (rest.len == 0 || v->unit) && (!money || v->unit == money);
}

static bool read_number(struct span s, struct value *v)
{
	if (read_quantity(read_variable(s, v), v)) {
		v->kind = VALUE_NUMBER;
		return true;
	}
	v->variable = (struct span){0};
	return false;
}

static bool read_date(struct span s, struct value *v)
{
	bool date = date_read(s, &v->date);
	v->kind = date ? VALUE_DATE : v->kind;
	return date;
}

bool value_is_boolean(struct span word, bool *ret_yes)
{
	static const char *const yes[] = {"yes", "true", "correct"};
	static const char *const no[] = {"no", "false", "incorrect"};
	*ret_yes = span_in(word, yes, ARRAY_LEN(yes));
	return *ret_yes || span_in(word, no, ARRAY_LEN(no));
}

/* Reads an option: "B", "(B)", "B. Paris"; also "b" if the prompt lists options. */
static bool read_choice(struct span s, enum question q, struct value *v)
{
	bool open = s.len && *s.data == '(';
	size_t n = open;
	bool letter =
	        n < s.len && (is_upper(s.data[n]) || (is_lower(s.data[n]) && q == QUESTION_CHOICE));
	if (!letter) {
		return false;
	}
	v->letter = to_lower(s.data[n++]);
	bool close = n < s.len && s.data[n] && strchr(open ? ")" : ").:", s.data[n]);
	if (open && !close) {
		return false;
	}
	v->option = span_trim(span_from(s, n + close));
	bool apart = close && n + 1 < s.len && s.data[n + 1] == ' ';
	if (v->option.len && !(apart && q == QUESTION_CHOICE)) {
		return false;
	}
	v->kind = VALUE_CHOICE;
	return true;
}

void value_read(struct span text, enum question q, struct value *ret)
{
	struct span whole = span_trim(text), s = without_stop(whole);
	*ret = (struct value){.text = s};
	if (s.len == 0) {
		return;
	}
	if ((q == QUESTION_CHOICE && read_choice(s, q, ret)) || read_date(s, ret) ||
	        read_number(s, ret) || read_choice(s, q, ret)) {
		return;
	}
	ret->kind = value_is_boolean(s, &ret->yes) ? VALUE_BOOLEAN : VALUE_WORDS;
	ret->text = may_own_stop(s) ? whole : s;
}

/* Whether an option's words have no negation and no other option's letter. */
static bool is_plain(struct span option)
{
	struct span rest = option, word;
	while ((word = sentence_next_word(&rest)).len) {
		if (sentence_is_negation(word) || (word.len == 1 && is_upper(*word.data))) {
			return false;
		}
	}
	return true;
}

bool value_has_option_words(const struct value *v)
{
	return v->kind == VALUE_CHOICE && v->option.len && is_upper(*v->option.data) &&
	       is_plain(v->option);
}

static enum agreement compare_choices(const struct value *a, const struct value *b)
{
	bool same_words = span_equal_nocase(a->option, b->option);
	if (a->option.len == 0 && b->option.len == 0) {
		return a->letter == b->letter ? AGREE_SAME : AGREE_CHANGED;
	}
	if (a->option.len == 0 || b->option.len == 0 || !is_plain(a->option) ||
	        !is_plain(b->option)) {
		return AGREE_UNDECIDED;
	}
	/* The same words under another letter may come from options in another order. */
	return a->letter == b->letter && same_words    ? AGREE_SAME
	       : a->letter != b->letter && !same_words ? AGREE_CHANGED
	                                               : AGREE_UNDECIDED;
}

/* Within a hundredth of each other, one number may be the other, converted and rounded. */
static bool are_close(const struct number *a, const struct number *b)
{
	double x = number_value(a), y = number_value(b);
	return fabs(x - y) <= fabs(x) / 100;
}

/* Of one base. */
static enum agreement compare_converted(const struct value *a, const struct value *b)
{
	struct number x = a->number, y = b->number;
	const struct unit *of_x = a->unit, *of_y = b->unit;
	if (of_x->num == 0 || of_y->num == 0 || !number_multiply(&x, of_x->num, of_x->den) ||
	        !number_multiply(&y, of_y->num, of_y->den)) {
		return AGREE_UNDECIDED;
	}
	x.one_separator = y.one_separator = false;
	enum agreement agreement = number_agreement(&x, &y, false);
	return agreement == AGREE_CHANGED && are_close(&x, &y) ? AGREE_UNDECIDED : agreement;
}

/* "9/11" may be a date unless the prompt asks for a number. */
static bool may_be_date(const struct value *v)
{
	return !v->unit && memchr(v->written.data, '/', v->written.len);
}

static enum agreement compare_numbers(const struct value *a, const struct value *b, enum question q)
{
	bool bare = q != QUESTION_NUMBER;
	if (!span_equal(a->variable, b->variable) || !a->unit != !b->unit) {
		return AGREE_UNDECIDED;
	}
	if (a->unit && strcmp(a->unit->base, b->unit->base) != 0) {
		/* A single letter may be the symbol of several units. */
		bool letter = !a->unit->symbol[1] || !b->unit->symbol[1];
		return letter ? AGREE_UNDECIDED : AGREE_CHANGED;
	}
	if (a->unit != b->unit) {
		return compare_converted(a, b);
	}
	enum agreement numbers = number_agreement(&a->number, &b->number, bare && !a->unit);
	bool dates =
	        bare && (may_be_date(a) || may_be_date(b)) && !span_equal(a->written, b->written);
	return numbers == AGREE_SAME && dates ? AGREE_UNDECIDED : numbers;
}

static enum agreement compare_dates(const struct date *a, const struct date *b)
{
	bool same = a->year == b->year && a->month == b->month && a->day == b->day;
	return same ? AGREE_SAME : AGREE_CHANGED;
}

enum agreement value_agreement(const struct value *a, const struct value *b, enum question q)
{
	if (a->kind == VALUE_NONE || a->kind != b->kind) {
		return AGREE_UNDECIDED;
	}
	switch (a->kind) {
	case VALUE_NUMBER:
		return compare_numbers(a, b, q);
	case VALUE_DATE:
		return compare_dates(&a->date, &b->date);
	case VALUE_CHOICE:
		return compare_choices(a, b);
	case VALUE_BOOLEAN:
		if (a->yes != b->yes) {
			return AGREE_CHANGED;
		}
		return span_equal_nocase(a->text, b->text) ? AGREE_SAME : AGREE_UNDECIDED;
	case VALUE_WORDS:
		return span_equal(a->text, b->text) ? AGREE_SAME : AGREE_UNDECIDED;
	case VALUE_NONE:
	case N_VALUE_KINDS:
		break;
	}
	never("a value of no kind");
}
