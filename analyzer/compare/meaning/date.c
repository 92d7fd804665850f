#include "analyzer/compare/meaning/date.h"

#include <string.h>

#include "base/letters.h"

static bool is_leap(int32_t year)
{
	return year == 0 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static bool is_valid(const struct day *d)
{
	static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return d->month >= 1 && d->month <= 12 && d->day >= 0 &&
	       d->day <= days[d->month - 1] + (d->month == 2 && is_leap(d->year));
}

/* Digits, at most four; 0: none, or more. */
static size_t read_digits(struct span s, int32_t *ret)
{
	size_t n = 0;
	int32_t value = 0;
	while (n < s.len && n < 5 && is_digit(s.data[n])) {
		value = value * 10 + (s.data[n++] - '0');
	}
	*ret = value;
	return n <= 4 ? n : 0;
}

static bool ends(struct span s, size_t at)
{
	return at == s.len || (!is_word(s.data[at]) && s.data[at] != '/' &&
	                              !(s.data[at] == '-' || s.data[at] == ':'));
}

/* A month's name or its first letters, a point after them or not. */
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
		bool brief = n == 3 || (n == 4 && i == 8);
		if ((n == name.len || brief) && n <= name.len &&
		        span_equal_nocase((struct span){s.data, n}, (struct span){name.data, n})) {
			*ret = i + 1;
			return n + (n < name.len && n < s.len && s.data[n] == '.');
		}
	}
	return 0;
}

static size_t skip(struct span s, size_t at, const char *what)
{
	return span_starts_nocase(span_from(s, at), what) ? at + strlen(what) : at;
}

static size_t gap(struct span s, size_t at)
{
	at = skip(s, at, ",");
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	return at;
}

/* A day's number with its st, nd, rd or th. */
static size_t read_day(struct span s, int32_t *ret)
{
	static const char *const ends_of[] = {"st", "nd", "rd", "th"};
	size_t n = read_digits(s, ret);
	if (n == 0 || n > 2 || *ret < 1 || *ret > 31) {
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(ends_of); i++) {
		n = skip(s, n, ends_of[i]);
	}
	return n < s.len && is_word(s.data[n]) ? 0 : n;
}

/* A year after a day and a month, or a month; at itself if there is none. */
static size_t read_year(struct span s, size_t at, struct day *d)
{
	int32_t year;
	size_t from = gap(s, at);
	size_t n = from > at ? read_digits(span_from(s, from), &year) : 0;
	if (n != 4 || !ends(s, from + n)) {
		return at;
	}
	d->year = year;
	return from + n;
}

/* January 5th, 2024; January 2024; January 5. */
static size_t read_month_first(struct span s, struct day *d)
{
	size_t at = read_month(s, &d->month);
	if (!at || at == s.len || s.data[at] != ' ') {
		return 0;
	}
	size_t year = read_year(s, at, d);
	if (year > at) {
		return year;
	}
	size_t from = skip(s, gap(s, at), "the ");
	size_t n = read_day(span_from(s, from), &d->day);
	return n ? read_year(s, from + n, d) : 0;
}

/* 5 January 2024; 5th of January. */
static size_t read_day_first(struct span s, struct day *d)
{
	size_t at = read_day(s, &d->day);
	if (!at) {
		return 0;
	}
	size_t from = skip(s, gap(s, at), "of ");
	size_t n = from > at ? read_month(span_from(s, from), &d->month) : 0;
	return n && ends(s, from + n) ? read_year(s, from + n, d) : 0;
}

/* 2024-01-05, 2024/01/05, 31.12.2024, 12/31/2024. */
static size_t read_figures(struct span s, struct date *ret)
{
	int32_t v[3];
	size_t at = 0, lengths[3];
	char separator = 0;
	for (int i = 0; i < 3; i++) {
		if (i && (at == s.len || (i == 1 && !strchr("-/.", s.data[at])) || !s.data[at] ||
		                 (i == 2 && s.data[at] != separator))) {
			return 0;
		}
		separator = i ? s.data[at] : 0;
		at += i > 0;
		lengths[i] = read_digits(span_from(s, at), &v[i]);
		at += lengths[i];
		if (!lengths[i]) {
			return 0;
		}
	}
	/* A time may follow an ISO date, and is not read: then this is no lone date. */
	if (!ends(s, at)) {
		return 0;
	}
	if (lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2) {
		ret->day = (struct day){v[0], v[1], v[2]};
		return v[2] && is_valid(&ret->day) ? at : 0;
	}
	if (lengths[2] != 4 || lengths[0] > 2 || lengths[1] > 2 || !v[0] || !v[1]) {
		return 0;
	}
	ret->day = (struct day){v[2], v[1], v[0]};
	ret->other = (struct day){v[2], v[0], v[1]};
	if (!is_valid(&ret->day)) {
		ret->day = ret->other;
	}
	if (v[0] == v[1] || !is_valid(&ret->other) || ret->day.month == ret->other.month) {
		ret->other = (struct day){0};
	}
	return is_valid(&ret->day) ? at : 0;
}

/* Its length through the comma; *ret: 1 to 7, 0: none. */
static size_t read_weekday(struct span s, uint8_t *ret)
{
	static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
	size_t n = 0;
	while (n < s.len && is_letter(s.data[n])) {
		n++;
	}
	for (size_t i = 0; i < ARRAY_LEN(days); i++) {
		if (span_starts_nocase(s, days[i]) &&
		        (n == 3 || (n >= 6 && span_is_nocase(
		                                      (struct span){s.data + n - 3, 3}, "day")))) {
			*ret = (uint8_t)(i + 1);
			return gap(s, n);
		}
	}
	return 0;
}

size_t date_read(struct span text, struct date *ret)
{
	uint8_t weekday = 0;
	size_t from = read_weekday(text, &weekday);
	struct span s = span_from(text, from);
	*ret = (struct date){.weekday = weekday};
	size_t n = read_figures(s, ret);
	if (n) {
		return from + n;
	}
	struct day d = {0};
	n = read_month_first(s, &d);
	if (!n) {
		d = (struct day){0};
		n = read_day_first(s, &d);
	}
	*ret = (struct date){.day = d, .weekday = weekday};
	return n && is_valid(&d) ? from + n : 0;
}

static bool fits(int32_t a, int32_t b)
{
	return a == b || a == 0 || b == 0;
}

static enum agreement compare(const struct day *a, const struct day *b)
{
	if (a->year == b->year && a->month == b->month && a->day == b->day) {
		return AGREE_SAME;
	}
	bool may = fits(a->year, b->year) && fits(a->month, b->month) && fits(a->day, b->day);
	return may ? AGREE_UNDECIDED : AGREE_CHANGED;
}

enum agreement date_agreement(const struct date *a, const struct date *b)
{
	bool two_a = a->other.month != 0, two_b = b->other.month != 0;
	enum agreement best = compare(&a->day, &b->day);
	if (a->weekday && b->weekday && a->weekday != b->weekday) {
		return MAX(best, AGREE_UNDECIDED); /* one of them is wrong */
	}
	if (!two_a && !two_b) {
		return best;
	}
	best = two_a ? MIN(best, compare(&a->other, &b->day)) : best;
	best = two_b ? MIN(best, compare(&a->day, &b->other)) : best;
	best = two_a && two_b ? MIN(best, compare(&a->other, &b->other)) : best;
	return MAX(best, AGREE_UNDECIDED);
}
