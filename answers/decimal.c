#include "answers/decimal.h"

#include <stdint.h>
#include <string.h>

#include "base/ascii.h"

#define WHOLE_DIGITS_MAX 21
#define EXPONENT_MAX 999999999

/* Parses an exponent and saturates it. p is at the sign or the first digit. */
static int64_t read_exponent(const char *p, const char *end)
{
	bool minus = p < end && *p == '-';
	int64_t e = 0;
	if (p < end && (*p == '-' || *p == '+')) {
		p++;
	}
	for (; p < end && is_digit(*p); p++) {
		e = MIN(e * 10 + (*p - '0'), (int64_t)EXPONENT_MAX);
	}
	return minus ? -e : e;
}

void decimal_normalise(struct buf *to, struct span number)
{
	const char *p = number.data;
	const char *end = p + number.len;
	bool minus = p < end && *p == '-';
	if (minus) {
		p++;
	}
	if (p == end || !is_digit(*p)) {
		buf_append_span(to, number);
		return;
	}
	/* Room for all digits and for the zeros that a whole number may need after them. */
	char *out = buf_reserve(to, number.len + WHOLE_DIGITS_MAX + 16);
	size_t n = 0;
	int64_t exponent = 0;
	bool fraction = false;
	if (minus) {
		*out++ = '-';
	}
	for (; p < end && (is_digit(*p) || *p == '.'); p++) {
		if (*p == '.') {
			fraction = true;
			continue;
		}
		exponent -= fraction;
		if (n || *p != '0') {
			out[n++] = *p;
		}
	}
	if (p < end) {
		exponent += read_exponent(p + 1, end);
	}
	while (n && out[n - 1] == '0') {
		n--;
		exponent++;
	}
	if (n == 0) {
		buf_append_char(to, '0');
		return;
	}
	exponent = MAX(MIN(exponent, (int64_t)EXPONENT_MAX), -(int64_t)EXPONENT_MAX);
	to->len += n + minus;
	if (exponent >= 0 && (int64_t)n + exponent <= WHOLE_DIGITS_MAX) {
		memset(out + n, '0', (size_t)exponent);
		to->len += (size_t)exponent;
	} else {
		buf_printf(to, "e%lld", (long long)exponent);
	}
}
