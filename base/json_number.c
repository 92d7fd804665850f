/*
 * json_number - numbers of JSON as doubles, correctly rounded, and back.
 *
 * strtod() takes some hundred nanoseconds. A number of few digits is the quotient or product of two
 * exact doubles, which one operation rounds correctly.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* The parts of a number's text: digits without sign and point, times 10^exponent. */
struct decimal {
	bool negative;
	uint64_t mantissa; /* of the first 19 digits */
	size_t n;          /* digits in all, from the first that is not zero */
	int64_t exponent;  /* of ten, for all n digits as an integer */
};

static struct decimal decimal_read(const char *p, const char *end)
{
	struct decimal d = {0};
	bool fraction = false;
	if (p < end && *p == '-') {
		d.negative = true;
		p++;
	}
	for (; p < end && (*p | 0x20) != 'e'; p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		d.exponent -= fraction;
		if (d.n == 0 && *p == '0') {
			continue;
		}
		if (d.n++ < 19) {
			d.mantissa = d.mantissa * 10 + (uint64_t)(*p - '0');
		}
	}
	if (p < end) {
		bool minus = p[1] == '-';
		int64_t written = 0;
		for (p += 1 + (p[1] == '-' || p[1] == '+'); p < end; p++) {
			/* Beyond any double, and far from overflow. */
			if (written < (int64_t)1 << 48) {
				written = written * 10 + (*p - '0');
			}
		}
		d.exponent += minus ? -written : written;
	}
	return d;
}

double json_token_number(const struct json_token *t)
{
	static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (t->type != JSON_TOKEN_NUMBER) {
		return NAN;
	}
	char last = t->start[t->len - 1];
	if (last == 'N') {
		return NAN;
	}
	if (last == 'y') {
		return t->start[0] == '-' ? -INFINITY : INFINITY;
	}
	struct decimal d = decimal_read(t->start, t->start + t->len);
	double value;
	if (d.n == 0) {
		value = 0;
	} else if (d.mantissa <= (uint64_t)1 << 53 && d.n <= 19 && d.exponent >= -22 &&
	           d.exponent <= 22) {
		/* Both factors are exact, so that the one operation rounds correctly. */
		value = d.exponent < 0 ? (double)d.mantissa / tens[-d.exponent]
		                       : (double)d.mantissa * tens[d.exponent];
	} else {
		char *text = xstrndup(t->start, t->len);
		value = fabs(strtod(text, NULL));
		free(text);
	}
	return d.negative ? -value : value;
}

bool json_token_integer(const struct json_token *t, int64_t *ret)
{
	if (t->type != JSON_TOKEN_NUMBER || t->len == 0) {
		return false;
	}
	const char *p = t->start, *end = p + t->len;
	bool negative = *p == '-';
	if (t->len == negative) {
		return false;
	}
	uint64_t limit = (uint64_t)INT64_MAX + negative, value = 0;
	for (p += negative; p < end; p++) {
		if (*p < '0' || *p > '9') {
			return false;
		}
		uint64_t digit = (uint64_t)(*p - '0');
		if (value > (limit - digit) / 10) {
			return false;
		}
		value = value * 10 + digit;
	}
	*ret = negative ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

void json_put_number(struct buf *to, double value)
{
	if (!isfinite(value)) {
		buf_append(to, "null", 4);
		return;
	}
	char text[32];
	if (fabs(value) < 1e15 && value == (double)(int64_t)value &&
	        !(value == 0 && signbit(value))) {
		buf_append(
		        to, text, (size_t)snprintf(text, sizeof(text), "%lld", (long long)value));
		return;
	}
	int n = 0;
	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value) {
			break;
		}
	}
	buf_append(to, text, (size_t)n);
}
