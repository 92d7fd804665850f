#include "base/moment.h"

#include <string.h>
#include <time.h>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/conf.h"

/* Reads n digits and removes them from the beginning. */
static bool take_digits(struct span *s, size_t n, int *ret)
{
	int value = 0;
	for (size_t i = 0; i < n; i++) {
		if (i == s->len || !is_digit(s->data[i])) {
			return false;
		}
		value = 10 * value + (s->data[i] - '0');
	}
	*ret = value;
	*s = span_from(*s, n);
	return true;
}

/* Removes one of the characters from the beginning. */
static bool take_char(struct span *s, const char *any)
{
	if (!s->len || !is_any(*s->data, any)) {
		return false;
	}
	*s = span_from(*s, 1);
	return true;
}

static uint64_t take_fraction(struct span *s)
{
	uint64_t ns = 0, unit = SECOND_NS;
	if (s->len < 2 || s->data[0] != '.' || !is_digit(s->data[1])) {
		return 0;
	}
	for (take_char(s, "."); s->len && is_digit(*s->data); *s = span_from(*s, 1)) {
		unit /= 10;
		ns += unit * (uint64_t)(*s->data - '0');
	}
	return ns;
}

/* Removes a time zone, if there is one, and returns its seconds east of UTC. */
static int take_zone(struct span *s)
{
	int hours, minutes = 0;
	struct span rest = *s;
	if (take_char(s, "Z") || !take_char(&rest, "+-") || !take_digits(&rest, 2, &hours)) {
		return 0;
	}
	struct span more = rest;
	(void)take_char(&more, ":");
	if (take_digits(&more, 2, &minutes)) {
		rest = more;
	}
	if (hours > 23 || minutes > 59) {
		return 0;
	}
	int sign = *s->data == '-' ? -1 : 1;
	*s = rest;
	return sign * (hours * 3600 + minutes * 60);
}

/* Reads the time of a day. colons: the characters that may separate its numbers. */
static bool take_time(struct span *s, const char *colons, struct tm *to, bool *ret_seconds)
{
	if (!take_char(s, "T ")) {
		return true;
	}
	if (!take_digits(s, 2, &to->tm_hour)) {
		return false;
	}
	const char colon[] = {s->len ? *s->data : '\0', '\0'};
	if (!take_char(s, colons) || !take_digits(s, 2, &to->tm_min)) {
		return false;
	}
	*ret_seconds = take_char(s, colon);
	return (!*ret_seconds || take_digits(s, 2, &to->tm_sec)) && to->tm_hour < 24 &&
	       to->tm_min < 60 && to->tm_sec <= 60;
}

/* Reads a date and removes it from the beginning. *ret_seconds: it has seconds. */
static bool take_date(struct span *s, const char *colons, bool *ret_seconds, uint64_t *ret_ns)
{
	struct tm when = {0};
	int year;
	*ret_seconds = false;
	if (!take_digits(s, 4, &year) || !take_char(s, "-") || !take_digits(s, 2, &when.tm_mon) ||
	        !take_char(s, "-") || !take_digits(s, 2, &when.tm_mday) || year < 1970 ||
	        when.tm_mon < 1 || when.tm_mon > 12 || when.tm_mday < 1 ||
	        !take_time(s, colons, &when, ret_seconds)) {
		return false;
	}
	when.tm_year = year - 1900;
	when.tm_mon--;
	int day = when.tm_mday;
	uint64_t fraction = *ret_seconds ? take_fraction(s) : 0;
	/* timegm() turns 31 February into 3 March, so the result is compared; a leap second may
	 * end a day. */
	bool leaps = when.tm_sec == 60;
	int64_t seconds = (int64_t)timegm(&when) - take_zone(s);
	/* Nanoseconds in 64 bits reach until the year 2554. */
	if ((when.tm_mday != day && !leaps) || seconds < 0 ||
	        (uint64_t)seconds >= UINT64_MAX / SECOND_NS - 1) {
		return false;
	}
	*ret_ns = (uint64_t)seconds * SECOND_NS + fraction;
	return true;
}

bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
	struct span s = span_of(text);
	uint64_t ago, ns;
	bool has_seconds;
	if (conf_parse_duration(text, &ago)) {
		*ret_ns = ago < now_ns ? now_ns - ago : 0;
		return true;
	}
	if (!take_date(&s, ":", &has_seconds, &ns) || s.len) {
		return false;
	}
	*ret_ns = ns;
	return true;
}

bool moment_begins(struct span text, uint64_t *ret_ns)
{
	uint64_t ns;
	bool has_seconds;
	if (!take_date(&text, ":-", &has_seconds, &ns) || !has_seconds) {
		return false;
	}
	*ret_ns = ns;
	return true;
}

bool moment_find(struct span text, uint64_t *ret_ns)
{
	for (; text.len; text = span_from(text, 1)) {
		if (moment_begins(text, ret_ns)) {
			return true;
		}
	}
	return false;
}

void moment_put(struct buf *to, uint64_t ns)
{
	char text[MOMENT_TEXT_SIZE];
	moment_format(ns, text);
	buf_printf(to, "%.*s", (int)strcspn(text, "Z"), text);
	if (*text != '?') {
		buf_printf(to, ".%03uZ", (unsigned)(ns % SECOND_NS / 1000000));
	}
}

const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE])
{
	time_t seconds = (time_t)(ns / SECOND_NS);
	struct tm when;
	if (!gmtime_r(&seconds, &when) ||
	        strftime(text, MOMENT_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &when) == 0) {
		strcpy(text, "?");
	}
	return text;
}
