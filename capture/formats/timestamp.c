#include "capture/formats/timestamp.h"

#include <time.h>

#include "base/ascii.h"

#define SECOND_NS UINT64_C(1000000000)

/* Takes exactly n digits, and then one of the characters in `after` unless that is NULL. */
static bool take(struct span *s, unsigned n, const char *after, int *ret)
{
	int value = 0;
	if (s->len < n) {
		return false;
	}
	for (unsigned i = 0; i < n; i++) {
		if (!is_digit(s->data[i])) {
			return false;
		}
		value = value * 10 + (s->data[i] - '0');
	}
	s->data += n;
	s->len -= n;
	if (after) {
		const char *a = after;
		while (*a && (!s->len || *a != s->data[0])) {
			a++;
		}
		if (!*a) {
			return false;
		}
		s->data++;
		s->len--;
	}
	*ret = value;
	return true;
}

static uint64_t take_fraction(struct span *s)
{
	uint64_t ns = 0, unit = SECOND_NS;
	if (s->len < 2 || s->data[0] != '.' || !is_digit(s->data[1])) {
		return 0;
	}
	for (s->data++, s->len--; s->len && is_digit(s->data[0]); s->data++, s->len--) {
		unit /= 10;
		ns += unit * (uint64_t)(s->data[0] - '0');
	}
	return ns;
}

/* Seconds east of UTC. */
static int64_t take_zone(struct span *s)
{
	int hours, minutes;
	struct span rest = *s;
	if (rest.len < 5 || (rest.data[0] != '+' && rest.data[0] != '-')) {
		return 0;
	}
	int64_t sign = rest.data[0] == '-' ? -1 : 1;
	rest.data++;
	rest.len--;
	if (!take(&rest, 2, rest.len > 2 && rest.data[2] == ':' ? ":" : NULL, &hours) ||
	        !take(&rest, 2, NULL, &minutes) || hours > 23 || minutes > 59) {
		return 0;
	}
	return sign * (hours * 3600 + minutes * 60);
}

bool timestamp_parse(struct span text, uint64_t *ret_ns)
{
	struct tm t = {0};
	int year, month;
	struct span s = text;
	if (!take(&s, 4, "-", &year) || !take(&s, 2, "-", &month) ||
	        !take(&s, 2, "T ", &t.tm_mday) || !take(&s, 2, ":-", &t.tm_hour) ||
	        !take(&s, 2, ":-", &t.tm_min) || !take(&s, 2, NULL, &t.tm_sec)) {
		return false;
	}
	if (year < 1970 || month < 1 || month > 12 || t.tm_mday < 1 || t.tm_mday > 31 ||
	        t.tm_hour > 23 || t.tm_min > 59 || t.tm_sec > 60) {
		return false;
	}
	t.tm_year = year - 1900;
	t.tm_mon = month - 1;
	uint64_t fraction = take_fraction(&s);
	int64_t seconds = (int64_t)timegm(&t) - take_zone(&s);
	/* Nanoseconds in 64 bits reach until the year 2554. */
	if (seconds < 0 || (uint64_t)seconds >= UINT64_MAX / SECOND_NS - 1) {
		return false;
	}
	*ret_ns = (uint64_t)seconds * SECOND_NS + fraction;
	return true;
}

bool timestamp_find(struct span text, uint64_t *ret_ns)
{
	for (size_t i = 0; i + 19 <= text.len; i++) {
		if (timestamp_parse((struct span){text.data + i, text.len - i}, ret_ns)) {
			return true;
		}
	}
	return false;
}
