/*
 * json_number - numbers of JSON as doubles, correctly rounded, and back.
 *
 * Logprobs have 16 to 17 digits, which strtod() takes some hundred nanoseconds for. Nearly all of
 * them fit a 64-bit integer times a small power of ten, and that is exact in integer arithmetic.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* No double needs more than 767 digits to be distinguished from its neighbours; one further
 * digit represents all remaining ones. */
#define DIGITS_MAX 800

/* A number's text taken apart: digits without sign and point, times 10^exponent. */
struct decimal {
	bool negative;
	const char *digits; /* from the first nonzero digit; may include the decimal point */
	const char *end;    /* behind the last digit */
	uint64_t mantissa;  /* of the first 19 digits */
	size_t n;           /* digits in all, from the first that is not zero */
	int64_t exponent;   /* of ten, for all n digits as an integer */
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
		if (d.n == 0) {
			d.digits = p;
		}
		if (d.n++ < 19) {
			d.mantissa = d.mantissa * 10 + (uint64_t)(*p - '0');
		}
	}
	d.end = p;
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

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;

/* 5^27 is the last below 2^63. */
static const uint64_t fives[] = {1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625,
        48828125, 244140625, 1220703125, 6103515625, 30517578125, 152587890625, 762939453125,
        3814697265625, 19073486328125, 95367431640625, 476837158203125, 2384185791015625,
        11920928955078125, 59604644775390625, 298023223876953125, 1490116119384765625,
        7450580596923828125};

/* value * 2^exponent, rounded to nearest even; sticky: there were bits below value. value's top bit
 * is set. */
static double round_bits(uint64_t value, bool sticky, int exponent)
{
	uint64_t kept = value >> 11, rest = value & 0x7ff;
	if (rest > 0x400 || (rest == 0x400 && (sticky || (kept & 1)))) {
		kept++;
	}
	/* kept has 53 bits, or is 2^53: exact either way. */
	return ldexp((double)kept, exponent + 11);
}

/* Returns mantissa * 10^exponent with a single rounding; -27 <= exponent <= 27. */
static double scale_exactly(uint64_t mantissa, int exponent)
{
	int shift = __builtin_clzll(mantissa), binary = exponent - shift;
	uint64_t m = mantissa << shift;
	if (exponent >= 0) {
		uint128 product = (uint128)m * fives[exponent];
		if (product >> 64 == 0) {
			return round_bits((uint64_t)product, false, binary);
		}
		int up = __builtin_clzll((uint64_t)(product >> 64));
		product <<= up;
		return round_bits(
		        (uint64_t)(product >> 64), (uint64_t)product != 0, binary + 64 - up);
	}
	/* The divisor's top bit is set and the dividend's is not, so the quotient has 63 or 64
	 * bits. */
	int down = __builtin_clzll(fives[-exponent]);
	uint64_t divisor = fives[-exponent] << down;
	uint128 dividend = (uint128)m << 63;
	uint64_t quotient = (uint64_t)(dividend / divisor);
	uint128 rest = dividend - (uint128)quotient * divisor;
	binary += down - 63;
	if (!(quotient >> 63)) {
		/* The remainder gives one more bit. */
		rest <<= 1;
		bool one = rest >= divisor;
		quotient = quotient << 1 | one;
		rest -= one ? divisor : 0;
		binary--;
	}
	return round_bits(quotient, rest != 0, binary);
}
#endif

/* The text for strtod() has no decimal point, since that depends on the locale. */
static double scale_slowly(const struct decimal *d)
{
	char text[DIGITS_MAX + 32];
	size_t n = 0;
	int64_t exponent = d->exponent;
	bool more = false;
	for (const char *p = d->digits; p < d->end; p++) {
		if (*p == '.') {
			continue;
		}
		if (n < DIGITS_MAX) {
			text[n++] = *p;
		} else {
			exponent++;
			more |= *p != '0';
		}
	}
	if (more) {
		text[n++] = '1';
		exponent--;
	}
	exponent = MAX(MIN(exponent, 99999), -99999);
	snprintf(text + n, sizeof(text) - n, "e%d", (int)exponent);
	return strtod(text, NULL);
}

double json_number(const struct json_token *t)
{
	static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (t->type != JSON_NUMBER) {
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
		/* Both factors are exact, so that the one operation rounds rightly. */
		value = d.exponent < 0 ? (double)d.mantissa / tens[-d.exponent]
		                       : (double)d.mantissa * tens[d.exponent];
#ifdef __SIZEOF_INT128__
	} else if (d.n <= 19 && d.exponent >= -27 && d.exponent <= 27) {
		value = scale_exactly(d.mantissa, (int)d.exponent);
#endif
	} else {
		value = scale_slowly(&d);
	}
	return d.negative ? -value : value;
}

bool json_integer(const struct json_token *t, int64_t *ret)
{
	if (t->type != JSON_NUMBER || t->len == 0) {
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
