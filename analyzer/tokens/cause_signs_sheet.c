#include "analyzer/stats/quad.h"
#include "analyzer/tokens/cause_signs.h"
#include "analyzer/tokens/sheet.h"
#include "base/clones.h"

/* What rows add, in lanes. */
struct sums {
	quad contrast, contrast_n;
	quad gap_base, gap_test, gap_both; /* squares, and their product */
	quad gaps, noise;
};

/* Of four rows: how far the test moved tokens that had not been there before, and those that had. */
struct contrast {
	quad sums[2], n[2];
	quad_marks moved; /* any bit but the sign's: it did */
};

static const quad ONE = {1, 1, 1, 1}, NONE = {0};
/* Tokens of a list. */
static const quad ALL = {LISTING_PLAIN, LISTING_PLAIN, LISTING_PLAIN, LISTING_PLAIN};

/* Token k, which the base lists. alike: the test does so too. */
CLONED_PART void contrast_add(
        struct contrast *c, const struct sheet *s, size_t k, size_t i, bool alike)
{
	const quad_marks bit = {1 << k, 1 << k, 1 << k, 1 << k};
	quad_marks seen;
	quad base, test;
	memcpy(&seen, s->seen + i, sizeof(seen));
	quad_load(s->base_lp[k] + i, &base);
	quad_load(s->test_lp[k] + i, &test);
	quad_marks before = (seen & bit) == bit, first = ~before;
	quad d = test - base;
	if (!alike) {
		/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
		quad_marks told = test == test;
		d = (quad)((quad_marks)d & told);
		before &= told;
		first &= told;
		c->n[0] += (quad)((quad_marks)ONE & first);
	}
	c->sums[0] += (quad)((quad_marks)d & first);
	c->sums[1] += (quad)((quad_marks)d & before);
	c->n[1] += (quad)((quad_marks)ONE & before);
	c->moved |= (quad_marks)d;
}

CLONED_PART void add_contrast(
        struct sums *to, const struct sheet *s, size_t i, const quad_marks *within, bool alike)
{
	struct contrast c = {0};
	contrast_add(&c, s, 0, i, alike);
	contrast_add(&c, s, 1, i, alike);
	contrast_add(&c, s, 2, i, alike);
	contrast_add(&c, s, 3, i, alike);
	contrast_add(&c, s, 4, i, alike);
	if (alike) {
		c.n[0] = ALL - c.n[1]; /* all are told */
	}
	quad apart = c.sums[1] / c.n[1] - c.sums[0] / c.n[0];
	quad_marks counts = ((quad)c.moved != NONE) & (c.n[0] * c.n[1] > NONE) & *within;
	to->contrast += (quad)((quad_marks)apart & counts);
	to->contrast_n += (quad)((quad_marks)ONE & counts);
}

/* Rows that do not list two tokens on both sides have NaNs. */
CLONED_PART void add_gap(struct sums *to, const struct sheet *s, size_t i, const quad_marks *within)
{
	const quad most = {CAUSE_SIGNS_NOISE_MOST, CAUSE_SIGNS_NOISE_MOST, CAUSE_SIGNS_NOISE_MOST,
	        CAUSE_SIGNS_NOISE_MOST};
	quad base, test;
	quad_load(s->both_base + i, &base);
	quad_load(s->both_test + i, &test);
	/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
	quad_marks told = (base == base) & *within;
	base = (quad)((quad_marks)base & told);
	test = (quad)((quad_marks)test & told);
	quad moved = test - base, back = base - test;
	quad_marks less = moved < back;
	quad size = (quad)(((quad_marks)back & less) | ((quad_marks)moved & ~less));
	quad_marks over = size > most;
	to->gap_base += base * base;
	to->gap_test += test * test;
	to->gap_both += base * test;
	to->gaps += (quad)((quad_marks)ONE & told);
	to->noise += (quad)(((quad_marks)most & over) | ((quad_marks)size & ~over));
}

CLONED_PART void add_rows(struct sums *to, const struct sheet *s, bool alike)
{
	const quad_marks step = {QUAD_LANES, QUAD_LANES, QUAD_LANES, QUAD_LANES};
	const quad_marks end = {(int64_t)s->n, (int64_t)s->n, (int64_t)s->n, (int64_t)s->n};
	quad_marks row = {0, 1, 2, 3};
	for (size_t i = 0; i < s->n; i += QUAD_LANES, row += step) {
		quad_marks within = row < end;
		add_contrast(to, s, i, &within, alike);
		add_gap(to, s, i, &within);
	}
}

CLONED void sum_signs_alike(const struct sheet *restrict s, struct sums *restrict ret)
{
	struct sums to = {0};
	add_rows(&to, s, true);
	*ret = to;
}

CLONED void sum_signs_unlike(const struct sheet *restrict s, struct sums *restrict ret)
{
	struct sums to = {0};
	add_rows(&to, s, false);
	*ret = to;
}

void cause_signs_sheet(struct cause_signs_reader *r, const struct sheet *s)
{
	_Static_assert(SHEET_AT_ONCE == QUAD_LANES, "a sheet is filled up to a whole quad");
	struct cause_signs *to = r->signs;
	struct sums sums;
	if (s->alike) {
		sum_signs_alike(s, &sums);
	} else {
		sum_signs_unlike(s, &sums);
	}
	to->contrast += quad_sum(&sums.contrast);
	to->contrast_n += (uint64_t)quad_sum(&sums.contrast_n);
	to->gap_base += quad_sum(&sums.gap_base);
	to->gap_test += quad_sum(&sums.gap_test);
	to->gap_both += quad_sum(&sums.gap_both);
	to->gaps += (uint64_t)quad_sum(&sums.gaps);
	to->noise += quad_sum(&sums.noise);
	to->noise_n += (uint64_t)quad_sum(&sums.gaps);
}
