#include <math.h>

#include "analyzer/stats/totals.h"
#include "analyzer/tokens/bounds.h"
#include "analyzer/tokens/logs_inside.h"
#include "analyzer/tokens/position.h"
#include "analyzer/tokens/sheet.h"
#include "base/clones.h"

_Static_assert(LISTING_PLAIN == 5, "functions below name each token");

/* Sums over the tokens of a row: P is the test, R the base. */
struct sums {
	double p, r;           /* of all that a side lists */
	double p_only, r_only; /* of what one side alone lists */
	double kl, js;
	double moved; /* of what both list, whichever way */
	double apart; /* the greatest square that js_near() was asked of */
};

/* How the Jensen-Shannon divergence of a row is reckoned: by logarithms, or by a polynomial for which both sides must
 * lie near each other. */
enum way { WAY_UNLIKE, WAY_ALIKE, WAY_NEAR };

/* A token of the base's list. */
struct token {
	double p_lp, r_lp; /* p_lp may be a NaN */
	double p, r;
};

/* Written so that compilers see one instruction in it, as in the next. */
CLONED_PART double greater(double a, double b)
{
	return b < a ? a : b;
}

CLONED_PART double lesser(double a, double b)
{
	return a < b ? a : b;
}

CLONED_PART struct token token_at(const struct sheet *s, size_t k, size_t i)
{
	double p_lp = s->test_lp[k][i], r_lp = s->base_lp[k][i];
	return (struct token){p_lp, r_lp, logs_exp_of(p_lp), logs_exp_of(r_lp)};
}

#define NEAR 1 /* nats, squared */

/*
 * With d = ln p - ln r, x = d / 2 and m the mean of p and r, a token adds m (x tanh x - ln cosh x). Of that, over
 * d^2, a polynomial of d^2 up to NEAR: interpolated at Chebyshev's points, to 2.3e-16 of it.
 */
CLONED_PART double js_near(double middle, double square)
{
	double sum = -1.326269542893247e-10;
	sum = sum * square + 1.9637328064306384e-09;
	sum = sum * square - 2.064425465810549e-08;
	sum = sum * square + 2.0346009772387815e-07;
	sum = sum * square - 1.9834985935600218e-06;
	sum = sum * square + 1.922121578795522e-05;
	sum = sum * square - 0.00018446180336165557;
	sum = sum * square + 0.0017361111109405441;
	sum = sum * square - 0.015624999999994844;
	sum = sum * square + 0.12499999999999997;
	return middle * (square * sum);
}

/* Unless WAY_UNLIKE p is no NaN. */
CLONED_PART void add_token(struct sums *to, const struct token *t, enum way way)
{
	bool both = way != WAY_UNLIKE || t->p == t->p;
	double mine = both ? t->p : 0, other = both ? t->r : 0, d = mine - other;
	double apart = both ? t->p_lp - t->r_lp : 0, middle = 0.5 * (t->p + t->r);
	if (way == WAY_NEAR) {
		to->js += js_near(middle, apart * apart);
		to->apart = greater(apart * apart, to->apart);
	} else {
		double js = 0.5 * (t->p * t->p_lp + t->r * t->r_lp) - middle * logs_log_of(middle);
		to->js += d == 0 ? 0 : js;
	}
	to->p += mine;
	to->r += t->r;
	if (way == WAY_UNLIKE) {
		to->r_only += t->r - other;
	}
	to->kl += mine * apart;
	to->moved += fabs(d);
}

/* 0 ln 0 = 0. */
CLONED_PART double weighed(double x, double ratio)
{
	return x * logs_log_of(x > 0 ? ratio : 1);
}

/* The least that x ln(x / y) can be, given what rounding cost. */
CLONED_PART double least_of_cell(double p, double r)
{
	double low = greater(0, p - BOUNDS_GUARD), high = p + BOUNDS_GUARD;
	double most = r + BOUNDS_GUARD, bottom = most / M_E;
	double x = bottom <= low ? low : high, found = weighed(x, x / most);
	/* Between them the least is at the bottom, whose log is known. */
	double below_high = bottom < high ? -bottom : found;
	return bottom > low ? below_high : found;
}

CLONED_PART double js_of_cell(double p, double r)
{
	double middle = 0.5 * (p + r);
	return 0.5 * (weighed(p, p / middle) + weighed(r, r / middle));
}

/* What is hidden is known only as a sum: as one cell of both distributions or, where that tells the sides
 * further apart, as two. */
CLONED_PART void add_hidden(struct sums *t, double *js_rest, enum way way)
{
	double p = greater(0, 1 - t->p), r = greater(0, 1 - t->r);
	if (way != WAY_UNLIKE) {
		t->kl += least_of_cell(p, r);
		*js_rest = js_of_cell(p, r);
		return;
	}
	double p_only = t->p_only, r_only = t->r_only;
	bool two = p_only * r_only > p * r;
	double first_p = p_only + (two ? 0 : p), first_r = r + (two ? 0 : r_only);
	double second_p = two ? p : 0, second_r = two ? r_only : 0, second = second_p + second_r;
	double second_kl = least_of_cell(second_p, second_r);
	double second_js = js_of_cell(second_p, second_r);
	t->kl += least_of_cell(first_p, first_r) + (second == 0 ? 0 : second_kl);
	*js_rest = js_of_cell(first_p, first_r) + (second == 0 ? 0 : second_js);
}

CLONED_PART void conclude(
        struct sheet *s, size_t i, const struct sums *t, double js_rest, enum way way)
{
	double p = greater(0, 1 - t->p), r = greater(0, 1 - t->r);
	bool unlike = way == WAY_UNLIKE;
	double p_hidden = unlike ? t->p_only + p : p, r_hidden = unlike ? t->r_only + r : r;
	double hidden = p_hidden + r_hidden, hidden_apart = p_hidden - r_hidden;
	/* Of what both list the test has so much more than the base, and all that moved up or down moved one way or the other. */
	double p_shared = t->p - t->p_only, r_shared = t->r - t->r_only;
	double up = 0.5 * (t->moved + (p_shared - r_shared));
	double down = 0.5 * (t->moved - (p_shared - r_shared));
	double least = greater(0, 0.5 * (p_shared + r_shared - t->moved));
	double folded = 0.5 * (t->moved + fabs(hidden_apart));
	double above = unlike ? up + greater(0, t->p_only - r) : up;
	double below = unlike ? down + greater(0, t->r_only - p) : down;
	double low = greater(folded, greater(above, below));
	s->kl_low[i] = greater(0, t->kl);
	s->js_low[i] = greater(0, t->js + js_rest);
	s->js_high[i] = lesser(M_LN2, t->js + 0.5 * M_LN2 * hidden);
	s->tv_low[i] = low;
	s->tv_high[i] = greater(low, 1 - least);
	s->hidden[i] = 0.5 * hidden;
}

/*
 * What a renormalised probability is at least, and its log. The loops are given it, for of a constant and another number a compiler
 * takes two steps to find the greater one, of two numbers one.
 */
struct least {
	double p, log;
};

static const struct least LEAST = {POSITION_RENORMALISED_LEAST, POSITION_RENORMALISED_LEAST_LOG};

/* What both lists' probabilities are scaled by. */
struct scale {
	struct least least;
	double by, p_log, r_log; /* of the test; logs of both sums */
};

CLONED_PART struct scale scale_of(const struct sums *t, const struct least *least)
{
	double p = t->p + POSITION_RENORMALISED_GUARD, r = t->r + POSITION_RENORMALISED_GUARD;
	return (struct scale){*least, 1 / p, logs_log_of(p), logs_log_of(r)};
}

/*
 * A scaled logprob, which is the least of a NaN. It is below 0 by itself, as the probability below 1: the sum has
 * POSITION_RENORMALISED_GUARD beside it.
 */
CLONED_PART double scaled(double lp, double log_sum, const struct least *least)
{
	return greater(lp - log_sum, least->log);
}

CLONED_PART double share_of(double p, double scale, const struct least *least)
{
	return greater(p * scale, least->p);
}

CLONED_PART double renormalised(const struct token *t, const struct scale *c)
{
	double p_lp = scaled(t->p_lp, c->p_log, &c->least);
	double r_lp = scaled(t->r_lp, c->r_log, &c->least);
	return share_of(t->p, c->by, &c->least) * (p_lp - r_lp);
}

CLONED_PART double chosen_change(const struct sheet *s, size_t i, const struct token *t)
{
	double chosen = s->chosen[i], change = t[0].p - t[0].r;
	change = chosen == 1 ? t[1].p - t[1].r : change;
	change = chosen == 2 ? t[2].p - t[2].r : change;
	change = chosen == 3 ? t[3].p - t[3].r : change;
	return chosen == 4 ? t[4].p - t[4].r : change;
}

/* Of what the test alone lists. */
struct alone {
	sheet_column p;            /* its sum */
	sheet_column scale, p_log; /* see struct scale */
};

/* 1: the row's way was WAY_NEAR, but it wants WAY_ALIKE; else 0. */
CLONED_PART double reckon_row(
        struct sheet *s, struct alone *alone, size_t i, enum way way, const struct least *least)
{
	const struct token t[] = {token_at(s, 0, i), token_at(s, 1, i), token_at(s, 2, i),
	        token_at(s, 3, i), token_at(s, 4, i)};
	struct sums sums = {0};
	double js_rest;
	add_token(&sums, &t[0], way);
	add_token(&sums, &t[1], way);
	add_token(&sums, &t[2], way);
	add_token(&sums, &t[3], way);
	add_token(&sums, &t[4], way);
	if (way == WAY_UNLIKE) {
		sums.p += alone->p[i];
		sums.p_only = alone->p[i];
	}
	add_hidden(&sums, &js_rest, way);
	conclude(s, i, &sums, js_rest, way);
	struct scale c = scale_of(&sums, least);
	double kl = renormalised(&t[0], &c) + renormalised(&t[1], &c);
	kl += renormalised(&t[2], &c);
	kl += renormalised(&t[3], &c);
	s->renormalised[i] = kl + renormalised(&t[4], &c);
	s->p_change[i] = chosen_change(s, i, t);
	if (way == WAY_UNLIKE) {
		alone->scale[i] = c.by;
		alone->p_log[i] = c.p_log;
	}
	return sums.apart > NEAR ? 1 : 0;
}

/* The compiler makes vectors of the loops below: there is no branch in what they call. steps: of SHEET_AT_ONCE rows each, so
 * that it need not make the same once more for rows that are left over, one by one. */
CLONED void reckon_near(struct sheet *restrict s, double *restrict far, size_t steps,
        const struct least *restrict least)
{
	for (size_t i = 0; i < steps * SHEET_AT_ONCE; i++) {
		far[i] = reckon_row(s, NULL, i, WAY_NEAR, least);
	}
}

CLONED void reckon_unlike(struct sheet *restrict s, struct alone *restrict alone, size_t steps,
        const struct least *restrict least)
{
	for (size_t i = 0; i < steps * SHEET_AT_ONCE; i++) {
		reckon_row(s, alone, i, WAY_UNLIKE, least);
	}
}

/* A row may have none. */
CLONED void add_alone(const double *restrict lps, struct alone *restrict alone, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double p = logs_exp_of(lps[i]);
		alone->p[i] += p == p ? p : 0;
	}
}

/* Where there is none neither list has anything to be filled in. */
CLONED void renormalise_alone(
        struct sheet *restrict s, const struct alone *restrict c, size_t k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double lp = s->test_lp[k][i], p = logs_exp_of(lp);
		double apart = scaled(lp, c->p_log[i], &LEAST) - LEAST.log;
		s->renormalised[i] += p == p ? share_of(p, c->scale[i], &LEAST) * apart : 0;
	}
}

/* Rows that are too far apart for WAY_NEAR once more; mostly there are none. */
static void reckon_far(struct sheet *s, const double *far)
{
	if (totals_above(far, s->n, 0) == 0) {
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): s->n are set */
		if (far[i] > 0) {
			reckon_row(s, NULL, i, WAY_ALIKE, &LEAST);
		}
	}
}

void sheet_reckon_bounds(struct sheet *s, size_t n)
{
	if (s->alike) {
		sheet_column far;
		reckon_near(s, far, n / SHEET_AT_ONCE, &LEAST);
		reckon_far(s, far);
		return;
	}
	struct alone alone = {.p = {0}};
	for (size_t k = LISTING_PLAIN; k < s->most; k++) {
		add_alone(s->test_lp[k], &alone, n);
	}
	reckon_unlike(s, &alone, n / SHEET_AT_ONCE, &LEAST);
	for (size_t k = LISTING_PLAIN; k < s->most; k++) {
		renormalise_alone(s, &alone, k, n);
	}
}
