#include "base/moment.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/conf.h"

#define SECOND UINT64_C(1000000000)

/* Takes exactly n digits. NULL: there are fewer or more. */
static const char *take_digits(const char *s, size_t n, int *ret)
{
	int value = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9') {
			return NULL;
		}
		value = 10 * value + (s[i] - '0');
	}
	*ret = value;
	return s + n;
}

/* A separator, then digits. */
static const char *take_after(const char *s, char separator, int *ret)
{
	return s && *s == separator ? take_digits(s + 1, 2, ret) : NULL;
}

static const char *take_fraction(const char *s, uint64_t *ret_ns)
{
	uint64_t unit = SECOND;
	if (*s != '.') {
		return s;
	}
	for (s++; *s >= '0' && *s <= '9'; s++) {
		unit /= 10;
		*ret_ns += unit * (uint64_t)(*s - '0');
	}
	return s;
}

static const char *take_time(const char *s, struct tm *to, uint64_t *ret_ns)
{
	if (*s != 'T' && *s != ' ') {
		return s;
	}
	s = take_after(take_digits(s + 1, 2, &to->tm_hour), ':', &to->tm_min);
	if (s && *s == ':') {
		s = take_after(s, ':', &to->tm_sec);
		s = s ? take_fraction(s, ret_ns) : NULL;
	}
	bool right = to->tm_hour < 24 && to->tm_min < 60 && to->tm_sec <= 60;
	return right ? s : NULL;
}

static const char *take_zone(const char *s, int *ret_seconds)
{
	int hours = 0, minutes = 0;
	*ret_seconds = 0;
	if (*s == 'Z') {
		return s + 1;
	}
	if (*s != '+' && *s != '-') {
		return s;
	}
	int sign = *s == '-' ? -1 : 1;
	s = take_digits(s + 1, 2, &hours);
	if (s && *s) {
		s = take_digits(s + (*s == ':'), 2, &minutes);
	}
	*ret_seconds = sign * (hours * 3600 + minutes * 60);
	return hours < 24 && minutes < 60 ? s : NULL;
}

static bool parse_date(const char *s, uint64_t *ret_ns)
{
	struct tm when = {0};
	uint64_t fraction = 0;
	int year, zone = 0;
	s = take_digits(s, 4, &year);
	s = take_after(s, '-', &when.tm_mon);
	s = take_after(s, '-', &when.tm_mday);
	if (!s || year < 1970 || when.tm_mon < 1 || when.tm_mon > 12 || when.tm_mday < 1) {
		return false;
	}
	when.tm_year = year - 1900;
	when.tm_mon--;
	int day = when.tm_mday;
	s = take_time(s, &when, &fraction);
	s = s ? take_zone(s, &zone) : NULL;
	if (!s || *s) {
		return false;
	}
	/* timegm() turns 31 February into 3 March, so the result is compared; a leap second may
	 * end a day. */
	bool leaps = when.tm_sec == 60;
	time_t seconds = timegm(&when);
	if ((when.tm_mday != day && !leaps) || seconds < zone) {
		return false;
	}
	seconds -= zone;
	*ret_ns = (uint64_t)seconds * SECOND + fraction;
	return true;
}

bool moment_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
	uint64_t ago;
	if (conf_parse_duration(text, &ago)) {
		*ret_ns = ago < now_ns ? now_ns - ago : 0;
		return true;
	}
	return parse_date(text, ret_ns);
}

const char *moment_format(uint64_t ns, char text[MOMENT_TEXT_SIZE])
{
	time_t seconds = (time_t)(ns / SECOND);
	struct tm when;
	if (!gmtime_r(&seconds, &when) ||
	        strftime(text, MOMENT_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &when) == 0) {
		strcpy(text, "?");
	}
	return text;
}
