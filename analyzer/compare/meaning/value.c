#include "analyzer/compare/meaning/value.h"

#include <math.h>
#include <string.h>

#include "analyzer/compare/meaning/sentence.h"
#include "base/ascii.h"

/* Reads a number of `least` to `most` digits. Returns its length in bytes; 0 if there is no such
 * number. */
static size_t read_digits(struct span s, size_t least, size_t most, int32_t *ret)
{
	size_t n = 0;
	*ret = 0;
	while (n < s.len && n <= most && is_digit(s.data[n])) {
		*ret = *ret * 10 + (s.data[n++] - '0');
	}
	return n >= least && n <= most ? n : 0;
}

/* A month's name or its first three letters. */
static size_t read_month(struct span s, int32_t *ret)
{
	static const char *const months[] = {"January", "February", "March", "April", "May", "June",
	        "July", "August", "September", "October", "November", "December"};
	size_t n = 0;
	while (n < s.len && is_letter(s.data[n])) {
		n++;
	}
	for (int32_t i = 0; i < 12; i++) {
		struct span name = span_of(months[i]);
		if ((n == 3 || n == name.len) &&
		        span_equal_nocase((struct span){s.data, n}, (struct span){name.data, n})) {
			*ret = i + 1;
			return n;
		}
	}
	return 0;
}

/* A day's number, with its st, nd, rd or th or without. */
static size_t read_day(struct span s, int32_t *ret)
{
	static const char *const ends[] = {"st", "nd", "rd", "th"};
	size_t n = read_digits(s, 1, 2, ret);
	for (size_t i = 0; i < ARRAY_LEN(ends) && n; i++) {
		if (span_starts(span_from(s, n), ends[i])) {
			return n + 2;
		}
	}
	return n;
}

/* Whether the rest is a year after a comma or a blank. */
static bool ends_in_year(struct span rest, int32_t *ret)
{
	size_t gap = span_starts(rest, ", ") ? 2 : span_starts(rest, " ");
	return gap && gap + 4 == rest.len && read_digits(span_from(rest, gap), 4, 4, ret);
}

static bool read_words(struct span s, struct date *d)
{
	size_t month = read_month(s, &d->month);
	if (month) {
		size_t from = month + span_starts(span_from(s, month), " ");
		size_t n = from > month ? read_day(span_from(s, from), &d->day) : 0;
		return n && ends_in_year(span_from(s, from + n), &d->year);
	}
	size_t day = read_day(s, &d->day);
	struct span rest = span_from(s, day);
	size_t gap = span_starts(rest, " of ") ? 4 : span_starts(rest, " ");
	size_t n = day && gap ? read_month(span_from(rest, gap), &d->month) : 0;
	return n && ends_in_year(span_from(rest, gap + n), &d->year);
}

/* Reads three numbers with the same separator. Returns false if there are none, or if they can
 * be read as two dates. */
static bool read_figures(struct span s, struct date *d)
{
	int32_t v[3];
	size_t at = 0, lengths[3];
	for (int i = 0; i < 3; i++) {
		lengths[i] = read_digits(span_from(s, at), 1, 4, &v[i]);
		at += lengths[i];
		bool separated = at < s.len && is_any(s.data[at], "-/.");
		if (lengths[i] == 0 || (i < 2 && !separated) ||
		        (i == 1 && s.data[at] != s.data[lengths[0]])) {
			return false;
		}
		at += i < 2;
	}
	bool year_first = lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2;
	bool year_last = lengths[0] <= 2 && lengths[1] <= 2 && lengths[2] == 4;
	if (year_first) {
		*d = (struct date){v[0], v[1], v[2]};
	} else {
		bool day_first = v[0] > 12;
		*d = (struct date){v[2], v[day_first], v[!day_first]};
	}
	return at == s.len && (year_first || (year_last && (v[0] > 12) != (v[1] > 12)));
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

/*
 * Reads a calendar date as people write it: 2024-01-05, 5 January 2024, January 5th, 2024,
 * 31/12/2024. Returns false if the text is not exactly a date with its year, or if the date is
 * ambiguous, such as 03/04/2024.
 */
static bool read_date(struct span s, struct value *v)
{
	struct date *d = &v->date;
	bool date = (read_figures(s, d) || read_words(s, d)) && d->month >= 1 && d->month <= 12 &&
	            d->day >= 1 && d->day <= 31;
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
	bool is_separate = close && n + 1 < s.len && s.data[n + 1] == ' ';
	if (v->option.len && !(is_separate && q == QUESTION_CHOICE)) {
		return false;
	}
	v->kind = VALUE_CHOICE;
	return true;
}

void value_read(struct span text, enum question q, struct value *ret)
{
	struct span whole = span_trim(text), s = whole; /* s: without the full stop at its end */
	bool stop = s.len > 1 && s.data[s.len - 1] == '.' && s.data[s.len - 2] != '.';
	s.len -= stop;
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
