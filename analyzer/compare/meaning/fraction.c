#include "analyzer/compare/meaning/fraction.h"

#include <string.h>

#define BASE 1000000000u

static void natural_copy(struct natural *to, const struct natural *from)
{
	to->n = from->n;
	memcpy(to->limbs, from->limbs, from->n * sizeof(*from->limbs));
}

static void natural_set(struct natural *to, uint64_t value)
{
	to->n = 0;
	for (; value; value /= BASE) {
		to->limbs[to->n++] = (uint32_t)(value % BASE);
	}
}

static bool natural_read(struct natural *to, const char *digits, size_t n)
{
	expect(n <= FRACTION_DIGITS_MAX);
	to->n = 0;
	while (n) {
		size_t took = MIN(n, (size_t)9);
		uint32_t limb = 0;
		for (size_t i = n - took; i < n; i++) {
			if (digits[i] < '0' || digits[i] > '9') {
				return false;
			}
			limb = limb * 10 + (uint32_t)(digits[i] - '0');
		}
		to->limbs[to->n++] = limb;
		n -= took;
	}
	while (to->n && to->limbs[to->n - 1] == 0) {
		to->n--;
	}
	return true;
}

static int natural_compare(const struct natural *a, const struct natural *b)
{
	if (a->n != b->n) {
		return a->n < b->n ? -1 : 1;
	}
	for (uint32_t i = a->n; i-- > 0;) {
		if (a->limbs[i] != b->limbs[i]) {
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
		}
	}
	return 0;
}

static bool natural_multiply(struct natural *ret, const struct natural *a, const struct natural *b)
{
	if (a->n == 0 || b->n == 0) {
		ret->n = 0;
		return true;
	}
	if (a->n + b->n > NATURAL_LIMBS) {
		return false;
	}
	ret->n = a->n + b->n;
	memset(ret->limbs, 0, ret->n * sizeof(*ret->limbs));
	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t carry = 0;
		for (uint32_t k = 0; k < b->n; k++) {
			carry += (uint64_t)a->limbs[i] * b->limbs[k] + ret->limbs[i + k];
			ret->limbs[i + k] = (uint32_t)(carry % BASE);
			carry /= BASE;
		}
		ret->limbs[i + b->n] = (uint32_t)carry;
	}
	ret->n -= ret->limbs[ret->n - 1] == 0;
	return true;
}

static bool natural_scale(struct natural *a, uint32_t tens)
{
	static const uint32_t powers[] = {
	        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
	if (a->n == 0) {
		return true;
	}
	uint32_t whole = tens / 9;
	if (whole > NATURAL_LIMBS || a->n + whole + 1 > NATURAL_LIMBS) {
		return false;
	}
	memmove(a->limbs + whole, a->limbs, a->n * sizeof(*a->limbs));
	memset(a->limbs, 0, whole * sizeof(*a->limbs));
	a->n += whole;
	uint64_t carry = 0;
	for (uint32_t i = whole; i < a->n; i++) {
		carry += (uint64_t)a->limbs[i] * powers[tens % 9];
		a->limbs[i] = (uint32_t)(carry % BASE);
		carry /= BASE;
	}
	if (carry) {
		a->limbs[a->n++] = (uint32_t)carry;
	}
	return true;
}

static bool natural_add(struct natural *a, const struct natural *b)
{
	uint64_t carry = 0;
	uint32_t n = MAX(a->n, b->n);
	for (uint32_t i = 0; i < n; i++) {
		carry += (uint64_t)(i < a->n ? a->limbs[i] : 0) + (i < b->n ? b->limbs[i] : 0);
		a->limbs[i] = (uint32_t)(carry % BASE);
		carry /= BASE;
	}
	a->n = n;
	if (carry && n == NATURAL_LIMBS) {
		return false;
	}
	if (carry) {
		a->limbs[a->n++] = (uint32_t)carry;
	}
	return true;
}

/* a - b, where a is not the lesser. */
static void natural_subtract(struct natural *a, const struct natural *b)
{
	int64_t borrow = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		int64_t limb = (int64_t)a->limbs[i] - (i < b->n ? b->limbs[i] : 0) - borrow;
		borrow = limb < 0;
		a->limbs[i] = (uint32_t)(limb + (borrow ? (int64_t)BASE : 0));
	}
	expect(borrow == 0);
	while (a->n && a->limbs[a->n - 1] == 0) {
		a->n--;
	}
}

static void set_zero(struct fraction *f)
{
	f->negative = false;
	f->ten = 0;
	f->num.n = 0;
	natural_set(&f->den, 1);
}

static bool settle(struct fraction *f, int64_t ten)
{
	if (f->num.n == 0) {
		set_zero(f);
		return true;
	}
	f->ten = (int32_t)ten;
	return ten <= FRACTION_TEN_MAX && ten >= -FRACTION_TEN_MAX;
}

bool fraction_of_digits(struct fraction *ret, const char *digits, size_t n, int32_t ten)
{
	while (n && *digits == '0') {
		digits++;
		n--;
	}
	if (n > FRACTION_DIGITS_MAX || !natural_read(&ret->num, digits, n)) {
		return false;
	}
	ret->negative = false;
	natural_set(&ret->den, 1);
	return settle(ret, ten);
}

void fraction_of_ratio(struct fraction *ret, uint64_t num, uint64_t den)
{
	expect(den);
	ret->negative = false;
	ret->ten = 0;
	natural_set(&ret->num, num);
	natural_set(&ret->den, num ? den : 1);
}

bool fraction_is_zero(const struct fraction *f)
{
	return f->num.n == 0;
}

bool fraction_multiply(struct fraction *f, const struct fraction *by)
{
	struct natural num, den;
	if (!natural_multiply(&num, &f->num, &by->num) ||
	        !natural_multiply(&den, &f->den, &by->den)) {
		return false;
	}
	f->negative = f->negative != by->negative;
	natural_copy(&f->num, &num);
	natural_copy(&f->den, &den);
	return settle(f, (int64_t)f->ten + by->ten);
}

bool fraction_divide(struct fraction *f, const struct fraction *by)
{
	if (fraction_is_zero(by)) {
		return false;
	}
	struct fraction inverse = {.negative = by->negative, .ten = -by->ten};
	natural_copy(&inverse.num, &by->den);
	natural_copy(&inverse.den, &by->num);
	return fraction_multiply(f, &inverse);
}

/* Both as wholes of the same part: *ret_a / (a->den * b->den) * 10^*ret_ten and its like. */
static bool align(const struct fraction *a, const struct fraction *b, struct natural *ret_a,
        struct natural *ret_b, int32_t *ret_ten)
{
	if (!natural_multiply(ret_a, &a->num, &b->den) ||
	        !natural_multiply(ret_b, &b->num, &a->den)) {
		return false;
	}
	int32_t least = ret_a->n == 0 ? b->ten : ret_b->n == 0 ? a->ten : MIN(a->ten, b->ten);
	*ret_ten = least;
	return (ret_a->n == 0 || natural_scale(ret_a, (uint32_t)(a->ten - least))) &&
	       (ret_b->n == 0 || natural_scale(ret_b, (uint32_t)(b->ten - least)));
}

bool fraction_add(struct fraction *f, const struct fraction *other)
{
	struct natural a, b, den;
	int32_t ten;
	if (!align(f, other, &a, &b, &ten) || !natural_multiply(&den, &f->den, &other->den)) {
		return false;
	}
	if (f->negative == other->negative) {
		if (!natural_add(&a, &b)) {
			return false;
		}
		natural_copy(&f->num, &a);
	} else if (natural_compare(&a, &b) >= 0) {
		natural_subtract(&a, &b);
		natural_copy(&f->num, &a);
	} else {
		natural_subtract(&b, &a);
		natural_copy(&f->num, &b);
		f->negative = other->negative;
	}
	natural_copy(&f->den, &den);
	return settle(f, ten);
}

bool fraction_equal(const struct fraction *a, const struct fraction *b)
{
	struct natural x, y;
	int32_t ten;
	if (fraction_is_zero(a) || fraction_is_zero(b)) {
		return fraction_is_zero(a) && fraction_is_zero(b);
	}
	return a->negative == b->negative && align(a, b, &x, &y, &ten) &&
	       natural_compare(&x, &y) == 0;
}

bool fraction_less(const struct fraction *a, const struct fraction *b)
{
	struct natural x, y;
	int32_t ten;
	return align(a, b, &x, &y, &ten) && natural_compare(&x, &y) < 0;
}

bool fraction_near(const struct fraction *a, const struct fraction *b, int32_t ten)
{
	struct fraction gap = *b, limit;
	gap.negative = !gap.negative && !fraction_is_zero(b);
	fraction_of_ratio(&limit, 1, 1);
	limit.ten = ten;
	return fraction_add(&gap, a) && fraction_less(&gap, &limit);
}
