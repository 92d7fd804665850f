#include "analyzer/tokens/sheet.h"

#include "analyzer/stats/quad.h"
#include "base/clones.h"

_Static_assert(LISTING_PLAIN == 5, "functions below name each token");
_Static_assert(SHEET_AT_ONCE == QUAD_LANES, "a quad of rows becomes one of each column");

/* Numbers one behind the other, of which the compiler makes one vector. */
CLONED_PART void load_four(const float *x, quad *ret)
{
	*ret = (quad){x[0], x[1], x[2], x[3]};
}

/* One number of each of four rows. */
CLONED_PART void load_one(const float *x, const uint32_t *rows, quad *ret)
{
	*ret = (quad){x[rows[0]], x[rows[1]], x[rows[2]], x[rows[3]]};
}

/* The columns stand at multiples of a number's size, as quads may. */
CLONED_PART void store(double *to, const quad *four)
{
	*(quad *)to = *four;
}

/* Four lists, which stand in rows, become a piece of five columns. */
CLONED_PART void turn(const float *lps, const uint32_t *rows, sheet_column *to, size_t i)
{
	quad a, b, c, d, fifth;
	load_four(lps + rows[0], &a);
	load_four(lps + rows[1], &b);
	load_four(lps + rows[2], &c);
	load_four(lps + rows[3], &d);
	load_one(lps + 4, rows, &fifth);
	const quad ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
	const quad cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
	const quad ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
	const quad cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
	const quad first = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
	const quad second = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
	const quad third = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
	const quad fourth = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
	store(&to[0][i], &first);
	store(&to[1][i], &second);
	store(&to[2][i], &third);
	store(&to[3][i], &fourth);
	store(&to[4][i], &fifth);
}

CLONED void turn_all(const float *restrict lps, const uint32_t *restrict rows,
        sheet_column *restrict to, size_t n)
{
	for (size_t i = 0; i < n; i += QUAD_LANES) {
		turn(lps, rows + i, to, i);
	}
}

CLONED void read_all(
        const float *restrict lps, const uint32_t *restrict at, double *restrict to, size_t n)
{
	for (size_t i = 0; i < n; i += QUAD_LANES) {
		quad four;
		load_one(lps, at + i, &four);
		store(to + i, &four);
	}
}

void sheet_read_rows(struct sheet *s, size_t n)
{
	read_all(s->base->lp, s->at, s->said_base, n);
	read_all(s->test->lp, s->test_at, s->said_test, n);
	turn_all(s->base->top_lp, s->rows, s->base_lp, n);
	if (s->alike) {
		turn_all(s->test->top_lp, s->test_rows, s->test_lp, n);
	}
}
