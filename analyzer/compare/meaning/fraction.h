#pragma once
/*
 * fraction - exact numbers: a sign, two whole numbers and a power of ten. Never floating point.
 *
 * Room is fixed, so a value may be too large for it: functions that return a bool give false then,
 * and the caller knows nothing of the result.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

#define FRACTION_DIGITS_MAX 120 /* of a number that is read */
#define FRACTION_TEN_MAX 100000
#define NATURAL_LIMBS 96

struct natural { /* nine decimal digits a limb, the least first, no zero at the end */
	uint32_t n;
	uint32_t limbs[NATURAL_LIMBS];
};

struct fraction { /* +-num / den * 10^ten; zero has ten 0 and den 1 */
	bool negative;
	int32_t ten;
	struct natural num, den;
};

bool fraction_of_digits(struct fraction *ret, const char *digits, size_t n, int32_t ten) MUST_CHECK;
void fraction_of_ratio(struct fraction *ret, uint64_t num, uint64_t den);
bool fraction_multiply(struct fraction *f, const struct fraction *by) MUST_CHECK;
bool fraction_divide(struct fraction *f, const struct fraction *by) MUST_CHECK; /* by zero: false */
bool fraction_add(struct fraction *f, const struct fraction *other) MUST_CHECK;
bool fraction_is_zero(const struct fraction *f);
/* Whether they are known to be equal. */
bool fraction_equal(const struct fraction *a, const struct fraction *b);
/* |a| < |b|. False also if it is not known. */
bool fraction_less(const struct fraction *a, const struct fraction *b);
/* |a - b| < 10^ten. False also if it is not known. */
bool fraction_near(const struct fraction *a, const struct fraction *b, int32_t ten);
