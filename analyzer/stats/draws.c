#include "analyzer/stats/draws.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clones.h"
#include "base/mem.h"

#define AT_ONCE 8    /* draws */
#define STRETCH 1024 /* rows whose counts stay in the cache while all columns go through them */
#define DIGIT_BITS 15
#define DIGIT_MOST ((1 << DIGIT_BITS) - 1)
#define NUMBER_MOST ((1 << 2 * DIGIT_BITS) - 1) /* of two digits */

/* A column as whole numbers from 0 on: value = origin + unit number. */
struct scale {
	double origin, unit;
	size_t digits; /* 0: all rows are the origin, or as good as */
};

struct product {
	size_t n, room; /* rows; what a column of digits takes */
	size_t n_columns, n_digits;
	struct scale *scales; /* of columns */
	int16_t *digits;      /* n_digits times room: column by column, the lower one first */
	int16_t *counts;      /* AT_ONCE times room */
	int32_t (*sums)[AT_ONCE];
};

static struct scale scale_of(const double *column, size_t n)
{
	double low = *column, high = *column;
	bool whole = true, finite = true;
	for (size_t k = 0; k < n; k++) {
		low = fmin(low, column[k]);
		high = fmax(high, column[k]);
		whole = whole && column[k] == rint(column[k]);
		finite = finite && isfinite(column[k]);
	}
	double range = high - low;
	if (!finite || !isfinite(range)) {
		return (struct scale){NAN, 0, 0};
	}
	if (whole && range <= NUMBER_MOST) {
		return (struct scale){low, 1, (range > 0) + (range > DIGIT_MOST)};
	}
	if (range / NUMBER_MOST < DBL_MIN) {
		return (struct scale){low, 0, 0}; /* nothing could be divided by that */
	}
	return (struct scale){low, range / NUMBER_MOST, 2};
}

/* Returns where the next column's digits are. */
static int16_t *write_digits(
        const struct product *p, const struct scale *s, const double *column, int16_t *to)
{
	for (size_t k = 0; k < p->n && s->digits > 0; k++) {
		int32_t number = (int32_t)rint((column[k] - s->origin) / s->unit);
		to[k] = (int16_t)(number & DIGIT_MOST);
		if (s->digits > 1) {
			to[p->room + k] = (int16_t)(number >> DIGIT_BITS);
		}
	}
	return to + s->digits * p->room;
}

static void begin(struct product *p, const double *columns, size_t n, size_t n_columns)
{
	*p = (struct product){.n = n, .room = LOTS_ROOM(n), .n_columns = n_columns};
	p->scales = xcalloc(n_columns + 1, sizeof(*p->scales));
	for (size_t c = 0; c < n_columns; c++) {
		p->scales[c] = scale_of(columns + c * n, n);
		p->n_digits += p->scales[c].digits;
	}
	p->digits = xcalloc(p->n_digits * p->room + 1, sizeof(*p->digits));
	p->counts = xcalloc(AT_ONCE * p->room, sizeof(*p->counts));
	p->sums = xcalloc(p->n_digits + 1, sizeof(*p->sums));
	int16_t *to = p->digits;
	for (size_t c = 0; c < n_columns; c++) {
		to = write_digits(p, &p->scales[c], columns + c * n, to);
	}
}

static void finish(struct product *p)
{
	free(p->scales);
	free(p->digits);
	free(p->counts);
	free(p->sums);
}

/*
 * One column of digits by the counts of AT_ONCE draws; n: a multiple of 16. No sum is too large: it is of as many
 * digits as there are rows.
 */
_Static_assert((int64_t)LOTS_MOST *DIGIT_MOST <= INT32_MAX, "sums are of 32 bits");
CLONED void multiply(
        const int16_t *digits, const int16_t *counts, size_t room, size_t n, int32_t *sums)
{
	int32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
	for (size_t k = 0; k < (n & ~(size_t)15); k++) {
		a += digits[k] * counts[k];
		b += digits[k] * counts[room + k];
		c += digits[k] * counts[2 * room + k];
		d += digits[k] * counts[3 * room + k];
		e += digits[k] * counts[4 * room + k];
		f += digits[k] * counts[5 * room + k];
		g += digits[k] * counts[6 * room + k];
		h += digits[k] * counts[7 * room + k];
	}
	const int32_t more[AT_ONCE] = {a, b, c, d, e, f, g, h};
	for (size_t i = 0; i < AT_ONCE; i++) {
		sums[i] += more[i];
	}
}

static void multiply_all(struct product *p)
{
	memset(p->sums, 0, p->n_digits * sizeof(*p->sums));
	for (size_t from = 0; from < p->room; from += STRETCH) {
		size_t here = MIN(p->room - from, (size_t)STRETCH);
		for (size_t i = 0; i < p->n_digits; i++) {
			multiply(p->digits + i * p->room + from, p->counts + from, p->room, here,
			        p->sums[i]);
		}
	}
}

/* The sums of one of AT_ONCE draws. */
static void tell(const struct product *p, size_t draw, double *ret)
{
	size_t at = 0;
	for (size_t c = 0; c < p->n_columns; c++) {
		const struct scale *s = &p->scales[c];
		double number = s->digits > 0 ? p->sums[at][draw] : 0;
		number += s->digits > 1 ? (double)p->sums[at + 1][draw] * (1 << DIGIT_BITS) : 0;
		ret[c] = s->origin * (double)p->n + s->unit * number;
		at += s->digits;
	}
}

void draws_sum(
        const double *columns, size_t n, size_t n_columns, uint64_t seed, size_t draws, double *ret)
{
	struct product product;
	struct dice dice = {seed};
	expect(n > 0 && n <= DRAWS_MOST && draws % AT_ONCE == 0);
	begin(&product, columns, n, n_columns);
	for (size_t i = 0; i < draws; i += AT_ONCE) {
		for (size_t d = 0; d < AT_ONCE; d++) {
			lots_draw(&dice, n, product.counts + d * product.room);
		}
		multiply_all(&product);
		for (size_t d = 0; d < AT_ONCE; d++) {
			tell(&product, d, ret + (i + d) * n_columns);
		}
	}
	finish(&product);
}
