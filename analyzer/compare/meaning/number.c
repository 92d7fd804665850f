#include "analyzer/compare/meaning/number.h"

#include <string.h>

#include "base/letters.h"
#include "analyzer/compare/meaning/number_words.h"
#include "reading/decimal.h"

#define RUN_MAX 200 /* bytes of digits and separators */

struct run { /* digits and separators, as far as they go */
	const char *p;
	size_t len;
	size_t commas, points;
	size_t last; /* of the last separator */
};

static struct run run_of(struct span s)
{
	struct run r = {.p = s.data};
	while (r.len < s.len &&
	        (is_digit(s.data[r.len]) || s.data[r.len] == ',' || s.data[r.len] == '.')) {
		r.len++;
	}
	while (r.len && !is_digit(s.data[r.len - 1])) {
		r.len--;
	}
	for (size_t i = 0; i < r.len; i++) {
		r.commas += r.p[i] == ',';
		r.points += r.p[i] == '.';
		r.last = is_digit(r.p[i]) ? r.last : i;
	}
	return r;
}

/* Groups of three after a first one of one to three, up to `end`; no zero in front. */
static bool is_grouped(const char *p, size_t end, char separator)
{
	size_t group = 0;
	bool first = true;
	if (end == 0 || !is_digit(*p) || *p == '0') {
		return false;
	}
	for (size_t i = 0; i < end; i++) {
		if (is_digit(p[i])) {
			group++;
		} else if (p[i] != separator || group == 0 || group > 3 || (!first && group != 3)) {
			return false;
		} else {
			group = 0;
			first = false;
		}
	}
	return !first && group == 3;
}

/* As grouped in India: 12,34,567. */
static bool is_lakh(const char *p, size_t len)
{
	size_t first = strcspn(p, ",");
	if (len < 9 || first > 2 || first == 0 || (len - first - 4) % 3 || p[len - 4] != ',') {
		return false;
	}
	for (size_t i = first; i < len - 4; i++) {
		if (((i - first) % 3 == 0) != (p[i] == ',')) {
			return false;
		}
	}
	return true;
}

/* The digits without separators, those from `point` on behind the point. */
static bool set_value(struct fraction *to, const struct run *r, size_t point)
{
	char digits[RUN_MAX];
	size_t n = 0;
	int32_t ten = 0;
	for (size_t i = 0; i < r->len; i++) {
		if (is_digit(r->p[i])) {
			digits[n++] = r->p[i];
			ten -= i > point;
		}
	}
	while (ten < 0 && n && digits[n - 1] == '0') {
		n--;
		ten++;
	}
	return fraction_of_digits(to, digits, n, ten);
}

static void count_digits(struct number *n, const struct run *r, size_t point)
{
	n->decimals = 0;
	n->significant = 0;
	for (size_t i = 0; i < r->len; i++) {
		if (is_digit(r->p[i])) {
			n->significant += n->significant || r->p[i] != '0';
			n->decimals += i > point;
		}
	}
	n->trailing_zeros = false;
	for (size_t i = point + 1; i < r->len && n->decimals; i++) {
		n->trailing_zeros |= r->p[i] != '0' && r->p[r->len - 1] == '0';
	}
}

static bool read_points(const struct run *r, struct number *n)
{
	if (r->points == 1) {
		bool grouped = is_grouped(r->p, r->len, '.');
		n->has_other = grouped && set_value(&n->other, r, r->len);
		count_digits(n, r, r->last);
		return set_value(&n->value, r, r->last);
	}
	n->unsure = true;
	count_digits(n, r, r->len);
	return is_grouped(r->p, r->len, '.') && set_value(&n->value, r, r->len);
}

static bool read_commas(const struct run *r, struct number *n)
{
	count_digits(n, r, r->len);
	if (is_grouped(r->p, r->len, ',')) {
		n->has_other = r->commas == 1 && set_value(&n->other, r, r->last);
		return set_value(&n->value, r, r->len);
	}
	n->unsure = true;
	if (r->commas == 1) {
		count_digits(n, r, r->last);
		return set_value(&n->value, r, r->last);
	}
	return is_lakh(r->p, r->len) && set_value(&n->value, r, r->len);
}

static bool read_run(const struct run *r, struct number *n)
{
	if (r->len > RUN_MAX) {
		return false;
	}
	if (r->commas && r->points) {
		char group = r->p[r->last] == '.' ? ',' : '.';
		n->unsure = group == '.';
		count_digits(n, r, r->last);
		return (group == '.' ? r->commas : r->points) == 1 &&
		       is_grouped(r->p, r->last, group) && set_value(&n->value, r, r->last);
	}
	if (r->commas) {
		return read_commas(r, n);
	}
	if (r->points) {
		return read_points(r, n);
	}
	count_digits(n, r, r->len);
	n->unsure = r->len > 1 && r->p[0] == '0'; /* 007 is likely to be a code */
	return set_value(&n->value, r, r->len);
}

static size_t skip_blanks(struct span s, size_t at)
{
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	return at;
}

/* Whole digits with a sign, in braces or not; 0: none. */
static size_t read_exponent(struct span s, int32_t *ret)
{
	size_t at = span_starts(s, "{") ? 1 : 0;
	bool braced = at, minus = at < s.len && s.data[at] == '-';
	at += minus || (at < s.len && s.data[at] == '+');
	size_t from = at;
	int32_t e = 0;
	for (; at < s.len && is_digit(s.data[at]); at++) {
		e = MIN(e * 10 + (s.data[at] - '0'), 1000000);
	}
	if (at == from || (braced && (at == s.len || s.data[at++] != '}'))) {
		return 0;
	}
	*ret = minus ? -e : e;
	return at;
}

static size_t read_superscript(struct span s, int32_t *ret)
{
	static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	bool minus = span_starts(s, "⁻");
	size_t at = minus ? strlen("⁻") : 0, from = at;
	int32_t e = 0;
	for (int d = 0; d < 10; d++) {
		if (span_starts(span_from(s, at), digits[d])) {
			e = MIN(e * 10 + d, 1000000);
			at += strlen(digits[d]);
			d = -1;
		}
	}
	*ret = minus ? -e : e;
	return at > from ? at : 0;
}

/* What follows "10": ^3, **3, ³. */
static size_t read_power(struct span s, int32_t *ret)
{
	size_t mark = span_starts(s, "^") ? 1 : span_starts(s, "**") ? 2 : 0;
	if (!mark) {
		return read_superscript(s, ret);
	}
	size_t n = read_exponent(span_from(s, mark), ret);
	return n ? mark + n : 0;
}

/* "e3", " × 10^3" after a number; 0: none. */
static size_t read_scale(struct span s, int32_t *ret)
{
	static const char *const times[] = {"×", "·", "x", "*", "\\times", "\\cdot"};
	if (s.len > 1 && (s.data[0] == 'e' || s.data[0] == 'E')) {
		size_t n = s.data[1] == '{' ? 0 : read_exponent(span_from(s, 1), ret);
		return n ? n + 1 : 0;
	}
	size_t at = skip_blanks(s, 0);
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		if (span_starts(span_from(s, at), times[i])) {
			size_t ten = skip_blanks(s, at + strlen(times[i]));
			if (!span_starts(span_from(s, ten), "10")) {
				continue;
			}
			size_t n = read_power(span_from(s, ten + 2), ret);
			return n ? ten + 2 + n : 0;
		}
	}
	return 0;
}

static bool scale(struct number *n, int32_t tens)
{
	struct fraction by;
	fraction_of_ratio(&by, 1, 1);
	by.ten = tens;
	n->decimals = (uint16_t)MAX(0, MIN((int32_t)n->decimals - tens, 60000));
	n->has_other = n->has_other && fraction_multiply(&n->other, &by);
	return tens <= FRACTION_TEN_MAX && tens >= -FRACTION_TEN_MAX &&
	       fraction_multiply(&n->value, &by);
}

/* Digits only; 0: none, or too many. */
static size_t read_whole(struct span s, struct fraction *ret)
{
	size_t n = 0;
	while (n < s.len && is_digit(s.data[n])) {
		n++;
	}
	return n && n <= FRACTION_DIGITS_MAX && fraction_of_digits(ret, s.data, n, 0) ? n : 0;
}

static size_t read_vulgar(struct span s, struct fraction *ret)
{
	static const struct {
		const char *text;
		uint8_t num, den;
	} vulgars[] = {{"½", 1, 2}, {"⅓", 1, 3}, {"⅔", 2, 3}, {"¼", 1, 4}, {"¾", 3, 4}, {"⅕", 1, 5},
	        {"⅖", 2, 5}, {"⅗", 3, 5}, {"⅘", 4, 5}, {"⅙", 1, 6}, {"⅚", 5, 6}, {"⅐", 1, 7},
	        {"⅛", 1, 8}, {"⅜", 3, 8}, {"⅝", 5, 8}, {"⅞", 7, 8}, {"⅑", 1, 9}, {"⅒", 1, 10}};
	for (size_t i = 0; i < ARRAY_LEN(vulgars); i++) {
		if (span_starts(s, vulgars[i].text)) {
			fraction_of_ratio(ret, vulgars[i].num, vulgars[i].den);
			return strlen(vulgars[i].text);
		}
	}
	return 0;
}

/* "1/3", "1 / 3", "1⁄3": not a date, so no second slash. */
static size_t read_slash(struct span s, struct fraction *ret)
{
	struct fraction den;
	size_t at = read_whole(s, ret);
	if (!at) {
		return 0;
	}
	size_t slash = skip_blanks(s, at);
	bool thin = span_starts(span_from(s, slash), "⁄");
	if (!thin && !span_starts(span_from(s, slash), "/")) {
		return 0;
	}
	at = skip_blanks(s, slash + (thin ? strlen("⁄") : 1));
	size_t n = read_whole(span_from(s, at), &den);
	if (!n || !fraction_divide(ret, &den) ||
	        (at + n < s.len && strchr("/.-,", s.data[at + n]) && at + n + 1 < s.len &&
	                is_digit(s.data[at + n + 1]))) {
		return 0;
	}
	return at + n;
}

/* \frac{1}{3}, with its kin. */
static size_t read_latex(struct span s, struct fraction *ret)
{
	static const char *const names[] = {"\\frac{", "\\dfrac{", "\\tfrac{"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!span_starts(s, names[i])) {
			continue;
		}
		struct fraction den;
		size_t at = strlen(names[i]);
		bool minus = span_starts(span_from(s, at), "-");
		at += minus;
		size_t n = read_whole(span_from(s, at), ret);
		at += n;
		if (!n || !span_starts(span_from(s, at), "}{")) {
			return 0;
		}
		at += 2;
		n = read_whole(span_from(s, at), &den);
		at += n;
		if (!n || !span_starts(span_from(s, at), "}") || !fraction_divide(ret, &den)) {
			return 0;
		}
		ret->negative = minus && !fraction_is_zero(ret);
		return at + 1;
	}
	return 0;
}

static size_t read_ratio(struct span s, struct fraction *ret)
{
	size_t n = read_slash(s, ret);
	n = n ? n : read_vulgar(s, ret);
	return n ? n : read_latex(s, ret);
}

/* The fraction after a whole number: "1 1/2", "1½". */
static size_t read_mixed(struct span s, struct number *n)
{
	struct fraction part, one;
	size_t at = skip_blanks(s, 0);
	size_t took = read_ratio(span_from(s, at), &part);
	fraction_of_ratio(&one, 1, 1);
	bool bare = at == 0 && s.len && is_digit(s.data[0]);
	if (!took || bare || !fraction_less(&part, &one) || !fraction_add(&n->value, &part)) {
		return 0;
	}
	n->ratio = true;
	n->has_other = false;
	return at + took;
}

static size_t read_unsigned(struct span s, struct number *n)
{
	size_t took = read_ratio(s, &n->value);
	if (took) {
		n->ratio = true;
		return took;
	}
	struct run r = run_of(s);
	if (r.len == 0) {
		return number_words_read(s, n);
	}
	if (!is_digit(s.data[0]) && !(s.data[0] == '.' && s.len > 1 && is_digit(s.data[1]))) {
		return 0;
	}
	if (!read_run(&r, n)) {
		return 0;
	}
	struct span rest = span_from(s, r.len);
	int32_t tens = 0;
	took = 0;
	if (r.len == 2 && r.p[0] == '1' && r.p[1] == '0') {
		took = read_power(rest, &tens);
		tens -= 1;
	}
	if (!took) {
		took = read_scale(rest, &tens);
	}
	if (took) {
		return scale(n, tens) ? r.len + took : 0;
	}
	return r.len + (r.commas || r.points ? 0 : read_mixed(rest, n));
}

size_t number_read(struct span text, struct number *ret)
{
	static const struct {
		const char *text;
		bool minus;
	} signs[] = {{"-", true}, {"+", false}, {"minus ", true}, {"negative ", true}};
	size_t at = 0;
	bool minus = false;
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (span_starts_nocase(text, signs[i].text)) {
			at = strlen(signs[i].text);
			minus = signs[i].minus;
			break;
		}
	}
	*ret = (struct number){0};
	size_t n = at < text.len ? read_unsigned(span_from(text, at), ret) : 0;
	if (!n) {
		return 0;
	}
	ret->value.negative = ret->value.negative != (minus && !fraction_is_zero(&ret->value));
	ret->other.negative = minus && !fraction_is_zero(&ret->other);
	return at + n;
}

/* The one with fewer decimals may be the other, rounded or cut. */
static bool is_rounded(const struct number *a, const struct number *b)
{
	if (b->ratio || (!a->ratio && a->decimals > b->decimals)) {
		const struct number *swap = a;
		a = b;
		b = swap;
	}
	const struct number *shorter = a->ratio ? b : a;
	return !(a->ratio && b->ratio) && shorter->decimals > 0 && shorter->significant > 1 &&
	       fraction_near(&a->value, &b->value, -(int32_t)shorter->decimals);
}

enum agreement number_agreement(const struct number *a, const struct number *b, bool versions)
{
	if (fraction_equal(&a->value, &b->value)) {
		bool version = versions && (a->trailing_zeros || b->trailing_zeros) &&
		               a->decimals != b->decimals;
		return a->unsure || b->unsure || version ? AGREE_UNDECIDED : AGREE_SAME;
	}
	if ((a->has_other && fraction_equal(&a->other, &b->value)) ||
	        (b->has_other && fraction_equal(&b->other, &a->value)) ||
	        (a->has_other && b->has_other && fraction_equal(&a->other, &b->other)) ||
	        is_rounded(a, b)) {
		return AGREE_UNDECIDED;
	}
	return AGREE_CHANGED;
}

/* The whole of it: "e3", "E-10". */
static bool is_exponent(struct span s)
{
	int32_t tens;
	return s.len > 1 && s.len < 8 && (s.data[0] == 'e' || s.data[0] == 'E') &&
	       s.data[1] != '{' && read_exponent(span_from(s, 1), &tens) + 1 == s.len;
}

bool number_spell(struct span word, bool measured, struct buf *to)
{
	char plain[RUN_MAX + 16];
	size_t at = span_starts(word, "-");
	struct run r = run_of(span_from(word, at));
	if (r.len == 0 || r.len > RUN_MAX || !is_digit(r.p[0]) || r.points > 1 ||
	        (r.len > 1 && r.p[0] == '0' && is_digit(r.p[1]))) {
		return false;
	}
	size_t point = r.points ? r.last : r.len;
	struct span rest = span_from(word, at + r.len);
	if ((r.points && r.p[r.last] != '.') || (r.commas && !is_grouped(r.p, point, ',')) ||
	        (rest.len && !is_exponent(rest))) {
		return false;
	}
	size_t n = 0;
	bool fraction = false;
	plain[n] = '-';
	n += at;
	for (size_t i = 0; i < r.len; i++) {
		fraction |= i > point && r.p[i] != '0';
		if (r.p[i] != ',') {
			plain[n++] = r.p[i];
		}
	}
	if (fraction && !measured && rest.len == 0) {
		buf_append(to, plain, n);
	} else {
		memcpy(plain + n, rest.data, rest.len);
		decimal_normalise(to, (struct span){plain, n + rest.len});
	}
	return true;
}
