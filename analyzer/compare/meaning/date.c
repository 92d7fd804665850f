#include "analyzer/compare/meaning/date.h"

#include <string.h>

#include "base/ascii.h"

static bool is_valid(const struct date *d)
{
	return d->month >= 1 && d->month <= 12 && d->day >= 1 && d->day <= 31;
}

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

bool date_read(struct span text, struct date *ret)
{
	return (read_figures(text, ret) || read_words(text, ret)) && is_valid(ret);
}
