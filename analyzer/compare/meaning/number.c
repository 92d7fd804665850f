#include "analyzer/compare/meaning/number.h"

#include <string.h>

#include "answers/decimal.h"
#include "base/ascii.h"

#define EXPONENT_MAX 99

/* Digits and separators: "1,234.50". */
struct decimal {
	struct span all, whole, fraction; /* whole: with its commas */
};

static size_t count_digits(struct span s)
{
	size_t n = 0;
	while (n < s.len && is_digit(s.data[n])) {
		n++;
	}
	return n;
}

/* Whether the digits are grouped as in "12,345,678": one to three digits without a leading zero,
 * then groups of three. */
static bool is_grouped(struct span s)
{
	size_t first = count_digits(s);
	if (first == 0 || first > 3 || *s.data == '0' || s.len == first) {
		return false;
	}
	for (size_t i = first; i < s.len; i += 4) {
		if (s.data[i] != ',' || count_digits(span_from(s, i + 1)) != 3) {
			return false;
		}
	}
	return true;
}

static bool is_whole(struct span s)
{
	bool code = s.len > 1 && *s.data == '0';
	return (count_digits(s) == s.len && !code) || is_grouped(s);
}

/* Returns false if the text does not begin with such a number, or if the number can be read in
 * several ways. */
static bool read_decimal(struct span s, struct decimal *ret)
{
	size_t n = 0;
	while (n < s.len && (is_digit(s.data[n]) || s.data[n] == ',' || s.data[n] == '.')) {
		n++;
	}
	while (n && !is_digit(s.data[n - 1])) {
		n--;
	}
	struct span all = {s.data, n};
	const char *point = n ? memchr(s.data, '.', n) : NULL;
	const char *end = s.data + n;
	ret->all = all;
	ret->whole = span_between(s.data, point ? point : end);
	ret->fraction = span_between(point ? point + 1 : end, end);
	return n && is_whole(ret->whole) && count_digits(ret->fraction) == ret->fraction.len;
}

static bool times(natural *n, natural by)
{
	return !__builtin_mul_overflow(*n, by, n);
}

static bool append_digits(natural *n, struct span digits)
{
	for (size_t i = 0; i < digits.len; i++) {
		natural digit = (natural)(digits.data[i] - '0');
		if (digits.data[i] != ',' &&
		        (!times(n, 10) || __builtin_add_overflow(*n, digit, n))) {
			return false;
		}
	}
	return true;
}

/* Divides numerator and denominator by their common factors. */
static void reduce(struct number *n)
{
	natural a = n->num, b = n->den;
	while (b) {
		natural rest = a % b;
		a = b;
		b = rest;
	}
	n->num /= a;
	n->den /= a;
}

bool number_multiply(struct number *n, natural num, natural den)
{
	bool fits = times(&n->num, num) && times(&n->den, den);
	if (fits) {
		reduce(n);
	}
	return fits;
}

static bool scale(struct number *n, int tens)
{
	for (; tens > 0; tens--) {
		if (!number_multiply(n, 10, 1)) {
			return false;
		}
		n->decimals -= n->decimals > 0;
	}
	for (; tens < 0; tens++) {
		if (!number_multiply(n, 1, 10)) {
			return false;
		}
		n->decimals++;
	}
	return true;
}

double number_value(const struct number *n)
{
	double value = (double)n->num / (double)n->den;
	return n->negative ? -value : value;
}

static void describe(struct number *n, const struct decimal *d)
{
	struct span f = d->fraction;
	n->decimals = (uint16_t)MIN(f.len, (size_t)UINT16_MAX);
	for (size_t i = 0; i < d->all.len; i++) {
		char c = d->all.data[i];
		n->significant += is_digit(c) && (n->significant || c != '0');
	}
	for (size_t i = 0; i < f.len; i++) {
		n->trailing_zeros |= f.data[i] != '0' && f.data[f.len - 1] == '0';
	}
	bool comma = d->whole.len > 3 && f.len == 0 && d->whole.data[d->whole.len - 4] == ',';
	bool point = d->whole.len && d->whole.len < 4 && *d->whole.data != '0' && f.len == 3;
	n->one_separator = (comma && d->whole.len < 8) || point;
}

static size_t skip_blanks(struct span s, size_t at)
{
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	return at;
}

/* Reads an integer with an optional sign. Returns its length in bytes; 0 if there is none or if
 * it is too large. */
static size_t read_exponent(struct span s, int *ret)
{
	bool minus = span_starts(s, "-");
	size_t sign = minus || span_starts(s, "+"), n = count_digits(span_from(s, sign));
	int e = 0;
	for (size_t i = sign; i < sign + n && e <= EXPONENT_MAX; i++) {
		e = e * 10 + (s.data[i] - '0');
	}
	*ret = minus ? -e : e;
	return n && e <= EXPONENT_MAX ? sign + n : 0;
}

/* "10^3", "10^{-3}". */
static size_t read_power(struct span s, int *ret)
{
	if (!span_starts(s, "10^")) {
		return 0;
	}
	size_t brace = s.len > 3 && s.data[3] == '{';
	size_t n = read_exponent(span_from(s, 3 + brace), ret), end = 3 + brace + n;
	bool closed = !brace || span_starts(span_from(s, end), "}");
	return n && closed ? end + brace : 0;
}

/* Reads "e3" or " × 10^3" after a number. */
static size_t read_scale(struct span s, int *ret)
{
	static const char *const times_signs[] = {"×", "x", "*", "\\times", "\\cdot"};
	if (s.len > 1 && (s.data[0] == 'e' || s.data[0] == 'E')) {
		size_t n = read_exponent(span_from(s, 1), ret);
		return n ? n + 1 : 0;
	}
	size_t at = skip_blanks(s, 0);
	for (size_t i = 0; i < ARRAY_LEN(times_signs); i++) {
		if (span_starts(span_from(s, at), times_signs[i])) {
			at = skip_blanks(s, at + strlen(times_signs[i]));
			size_t n = read_power(span_from(s, at), ret);
			return n ? at + n : 0;
		}
	}
	return 0;
}

/* Digits, at least one. */
static size_t read_digits(struct span s, natural *ret)
{
	size_t n = count_digits(s);
	*ret = 0;
	return append_digits(ret, (struct span){s.data, n}) ? n : 0;
}

/* Reads a fraction such as "1/3" or "1 / 3" that is not the beginning of a date. */
static size_t read_slash(struct span s, struct number *n)
{
	size_t over = read_digits(s, &n->num), slash = skip_blanks(s, over);
	if (over == 0 || !span_starts(span_from(s, slash), "/")) {
		return 0;
	}
	size_t at = skip_blanks(s, slash + 1), under = read_digits(span_from(s, at), &n->den);
	struct span rest = span_from(s, at + under);
	bool goes_on = rest.len > 1 && is_any(*rest.data, "/.-,") && is_digit(rest.data[1]);
	return under && n->den && !goes_on ? at + under : 0;
}

/* \frac{1}{3}. */
static size_t read_latex(struct span s, struct number *n)
{
	static const char begin[] = "\\frac{";
	if (!span_starts(s, begin)) {
		return 0;
	}
	size_t at = strlen(begin);
	n->negative = span_starts(span_from(s, at), "-");
	at += n->negative;
	size_t over = read_digits(span_from(s, at), &n->num);
	at += over;
	if (over == 0 || !span_starts(span_from(s, at), "}{")) {
		return 0;
	}
	size_t under = read_digits(span_from(s, at + 2), &n->den);
	at += 2 + under;
	return under && n->den && span_starts(span_from(s, at), "}") ? at + 1 : 0;
}

static size_t read_unsigned(struct span s, struct number *n)
{
	struct decimal d;
	int tens = 0;
	size_t ratio = read_slash(s, n);
	ratio = ratio ? ratio : read_latex(s, n);
	if (ratio) {
		n->ratio = true;
		reduce(n);
		return ratio;
	}
	*n = (struct number){.num = 1, .den = 1};
	size_t power = read_power(s, &tens);
	if (power) {
		return scale(n, tens) ? power : 0;
	}
	n->num = 0;
	if (!read_decimal(s, &d) || !append_digits(&n->num, d.whole) ||
	        !append_digits(&n->num, d.fraction) || !scale(n, -(int)d.fraction.len)) {
		return 0;
	}
	describe(n, &d);
	size_t more = read_scale(span_from(s, d.all.len), &tens);
	return scale(n, tens) ? d.all.len + more : 0;
}

size_t number_read(struct span text, struct number *ret)
{
	static const char *const signs[] = {"-", "minus ", "+"};
	size_t at = 0;
	bool minus = false;
	for (size_t i = 0; i < ARRAY_LEN(signs) && !at; i++) {
		at = span_starts_nocase(text, signs[i]) ? strlen(signs[i]) : 0;
		minus = at && i < 2;
	}
	*ret = (struct number){.den = 1};
	size_t n = read_unsigned(span_from(text, at), ret);
	ret->negative = ret->num && ret->negative != minus;
	return n ? at + n : 0;
}

/* Brings a and b to a common denominator. Returns false if they are too large. */
static bool align(const struct number *a, const struct number *b, natural *ret_a, natural *ret_b)
{
	*ret_a = a->num;
	*ret_b = b->num;
	return times(ret_a, b->den) && times(ret_b, a->den);
}

/* Whether the number with fewer decimals may be the other one, rounded or cut: they differ by
 * less than a unit of its last digit. Also true if that is not known. */
static bool may_be_rounded(const struct number *a, const struct number *b)
{
	const struct number *brief = a->decimals <= b->decimals ? a : b;
	natural x, y, both = a->den;
	if (a->ratio || b->ratio) {
		brief = a->ratio ? b : a;
	}
	if ((a->ratio && b->ratio) || brief->decimals == 0 || brief->significant < 2 ||
	        a->negative != b->negative) {
		return false;
	}
	if (!align(a, b, &x, &y) || !times(&both, b->den)) {
		return true;
	}
	natural gap = x > y ? x - y : y - x;
	for (size_t i = 0; i < brief->decimals && gap < both; i++) {
		if (!times(&gap, 10)) {
			return false;
		}
	}
	return gap < both;
}

/* Whether one number is a thousand times the other, as when 1,234 and 1.234 are one number with
 * different separators. */
static bool may_be_separated(const struct number *a, const struct number *b)
{
	natural x, y, more_x, more_y;
	if (!(a->one_separator || b->one_separator) || a->negative != b->negative) {
		return false;
	}
	bool known = align(a, b, &x, &y);
	more_x = x;
	more_y = y;
	return !known || !times(&more_x, 1000) || !times(&more_y, 1000) || more_x == y ||
	       more_y == x;
}

enum agreement number_agreement(const struct number *a, const struct number *b, bool versions)
{
	/* Both fractions are in lowest terms. */
	if (a->negative == b->negative && a->num == b->num && a->den == b->den) {
		bool version = versions && (a->trailing_zeros || b->trailing_zeros) &&
		               a->decimals != b->decimals;
		return version ? AGREE_UNDECIDED : AGREE_SAME;
	}
	bool may = may_be_rounded(a, b) || may_be_separated(a, b);
	return may ? AGREE_UNDECIDED : AGREE_CHANGED;
}

bool number_spell(struct span word, bool measured, struct buf *to)
{
	struct decimal d;
	int tens = 0;
	size_t sign = span_starts(word, "-");
	if (!read_decimal(span_from(word, sign), &d) || d.whole.len == 0) {
		return false;
	}
	struct span rest = span_from(word, sign + d.all.len);
	bool exponent = rest.len && (*rest.data == 'e' || *rest.data == 'E');
	if (rest.len && !(exponent && read_scale(rest, &tens) == rest.len)) {
		return false;
	}
	struct buf plain = {0};
	buf_append(&plain, word.data, sign);
	bool zeros = true;
	for (size_t i = 0; i < d.all.len; i++) {
		buf_append(&plain, d.all.data + i, d.all.data[i] != ',');
	}
	for (size_t i = 0; i < d.fraction.len; i++) {
		zeros &= d.fraction.data[i] == '0';
	}
	buf_append_span(&plain, rest);
	if (zeros || measured || rest.len) {
		decimal_normalise(to, buf_span(&plain));
	} else {
		buf_append_span(to, buf_span(&plain));
	}
	buf_finish(&plain);
	return true;
}
