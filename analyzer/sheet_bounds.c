#include <math.h>
#include <string.h>

#include "analyzer/bounds.h"
#include "analyzer/logs.h"
#include "analyzer/position.h"
#include "analyzer/sheet.h"
#include "base/clones.h"

/* Sums over the tokens, by row: P is the test, R the base. */
struct sums {
	sheet_column p, r;           /* of all that a side lists */
	sheet_column p_only, r_only; /* of what one side alone lists */
	sheet_column kl, js, above, below, least;
};

/* What is known only as a sum, as one cell of both distributions, and what its terms x ln(x / y) take; of
 * x = 0 the ratio is 1. */
struct cell {
	sheet_column p, r, x, known;
	sheet_column ratio, p_ratio, r_ratio;
	sheet_column log, p_log, r_log;
};

static inline double greater(double a, double b)
{
	return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

CLONED void widen(const float *restrict from, double *restrict to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = (double)from[i];
	}
}

CLONED void find_middles(
        const double *restrict p, const double *restrict r, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all n are set */
		ret[i] = 0.5 * (p[i] + r[i]);
	}
}

/* What a token of the base's list adds; p may be NaN. middle: the mean of both, and its log. */
CLONED void add_token(struct sums *restrict t, const double *restrict p_lp,
        const double *restrict r_lp, const double *restrict p, const double *restrict r,
        const double *restrict middle, const double *restrict logs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool both = p[i] == p[i];
		double mine = both ? p[i] : 0, other = both ? r[i] : 0, d = mine - other;
		double apart = both ? p_lp[i] - r_lp[i] : 0;
		double js = 0.5 * (p[i] * p_lp[i] + r[i] * r_lp[i]) - middle[i] * logs[i];
		t->p[i] += mine;
		t->r[i] += r[i];
		t->r_only[i] += r[i] - other;
		t->kl[i] += mine * apart;
		t->js[i] += d == 0 ? 0 : js;
		t->above[i] += greater(d, 0);
		t->below[i] += greater(-d, 0);
		t->least[i] += lesser(mine, other);
	}
}

/* What a token adds that the test alone lists, if at all. */
CLONED void add_alone(struct sums *restrict t, const double *restrict p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double mine = p[i] == p[i] ? p[i] : 0;
		t->p[i] += mine;
		t->p_only[i] += mine;
	}
}

/* What is hidden, as one cell or, where that tells the sides further apart, as two. */
CLONED void cut_cells(struct cell *restrict first, struct cell *restrict second,
        const struct sums *restrict t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double p = greater(0, 1 - t->p[i]), r = greater(0, 1 - t->r[i]);
		double p_only = t->p_only[i], r_only = t->r_only[i];
		bool two = p_only * r_only > p * r;
		first->p[i] = p_only + (two ? 0 : p);
		first->r[i] = r + (two ? 0 : r_only);
		second->p[i] = two ? p : 0;
		second->r[i] = two ? r_only : 0;
	}
}

/* The least that x ln(x / y) of the cell can be, given what rounding cost; and what its distances take. The
 * second cell is none where it is empty. */
CLONED void open_cell(struct cell *c, bool second, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double p = c->p[i], r = c->r[i];
		bool none = second && p + r == 0;
		double low = greater(0, p - BOUNDS_GUARD), high = p + BOUNDS_GUARD;
		double most = r + BOUNDS_GUARD, bottom = most / M_E;
		double x = bottom <= low ? low : high, middle = 0.5 * (p + r);
		/* Between them the least is at the bottom, whose log is known. */
		double known = bottom < high ? -bottom : 0;
		known = bottom > low ? known : 0;
		known = none ? 0 : known;
		x = known < 0 || none ? 0 : x;
		double ratio = x / most, p_ratio = p / middle, r_ratio = r / middle;
		c->x[i] = x;
		c->known[i] = known;
		c->ratio[i] = x > 0 ? ratio : 1;
		c->p_ratio[i] = p > 0 ? p_ratio : 1;
		c->r_ratio[i] = r > 0 ? r_ratio : 1;
	}
}

CLONED void add_cell(
        struct sums *restrict t, double *restrict js_rest, const struct cell *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): all n are set */
		t->kl[i] += c->known[i] + c->x[i] * c->log[i];
		js_rest[i] += 0.5 * (c->p[i] * c->p_log[i] + c->r[i] * c->r_log[i]);
	}
}

static void reckon_cell(struct sums *t, double *js_rest, struct cell *c, bool second, size_t n)
{
	open_cell(c, second, n);
	logs_log(c->ratio, c->log, n);
	logs_log(c->p_ratio, c->p_log, n);
	logs_log(c->r_ratio, c->r_log, n);
	add_cell(t, js_rest, c, n);
}

CLONED void conclude(struct sheet *restrict s, const struct sums *restrict t,
        const double *restrict js_rest, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double p = greater(0, 1 - t->p[i]), r = greater(0, 1 - t->r[i]);
		double p_hidden = t->p_only[i] + p, r_hidden = t->r_only[i] + r;
		double hidden = p_hidden + r_hidden, hidden_apart = p_hidden - r_hidden;
		double apart = t->above[i] + t->below[i];
		double folded = 0.5 * (apart + greater(hidden_apart, -hidden_apart));
		double above = t->above[i] + greater(0, t->p_only[i] - r);
		double below = t->below[i] + greater(0, t->r_only[i] - p);
		double low = greater(folded, greater(above, below));
		s->kl_low[i] = greater(0, t->kl[i]);
		s->js_low[i] = greater(0, t->js[i] + js_rest[i]);
		s->js_high[i] = lesser(M_LN2, t->js[i] + 0.5 * M_LN2 * hidden);
		s->tv_low[i] = low;
		s->tv_high[i] = greater(low, 1 - t->least[i]);
		s->hidden[i] = 0.5 * hidden;
	}
}

/* Both lists' sums, their logs, and what the test's is scaled by. */
struct scale {
	sheet_column p, r, p_log, r_log, by;
};

CLONED void find_scale(struct scale *restrict c, const struct sums *restrict t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		c->p[i] = t->p[i] + POSITION_RENORMALISED_GUARD;
		c->r[i] = t->r[i] + POSITION_RENORMALISED_GUARD;
		c->by[i] = 1 / c->p[i];
	}
}

/* Of a NaN the least. */
static inline double scaled(double lp, double log_sum)
{
	return lesser(0, greater(lp - log_sum, POSITION_RENORMALISED_LEAST_LOG));
}

CLONED void add_renormalised(double *restrict to, const double *restrict p_lp,
        const double *restrict r_lp, const double *restrict p, const struct scale *restrict c,
        size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double share = lesser(1, greater(p[i] * c->by[i], POSITION_RENORMALISED_LEAST));
		to[i] += share * (scaled(p_lp[i], c->p_log[i]) - scaled(r_lp[i], c->r_log[i]));
	}
}

/* Of a token that the test alone lists; where there is none neither list has anything to be filled in. */
CLONED void add_renormalised_alone(double *restrict to, const double *restrict p_lp,
        const double *restrict p, const struct scale *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double share = lesser(1, greater(p[i] * c->by[i], POSITION_RENORMALISED_LEAST));
		double apart = scaled(p_lp[i], c->p_log[i]) - POSITION_RENORMALISED_LEAST_LOG;
		to[i] += p[i] == p[i] ? share * apart : 0;
	}
}

/* Logprobs and probabilities of all tokens. */
struct lists {
	sheet_column base_lp[LISTING_PLAIN], base_p[LISTING_PLAIN];
	sheet_column test_lp[PLAIN_MOST], test_p[PLAIN_MOST];
};

static void add_lists(struct sums *t, const struct sheet *s, struct lists *l)
{
	sheet_column middle, logs;
	for (size_t k = 0; k < s->most; k++) {
		widen(s->test_lp[k], l->test_lp[k], s->n);
		logs_exp(l->test_lp[k], l->test_p[k], s->n);
		if (k >= LISTING_PLAIN) {
			add_alone(t, l->test_p[k], s->n);
			continue;
		}
		widen(s->base_lp[k], l->base_lp[k], s->n);
		logs_exp(l->base_lp[k], l->base_p[k], s->n);
		find_middles(l->test_p[k], l->base_p[k], middle, s->n);
		logs_log(middle, logs, s->n);
		add_token(t, l->test_lp[k], l->base_lp[k], l->test_p[k], l->base_p[k], middle, logs,
		        s->n);
	}
}

static void reckon_renormalised(struct sheet *s, const struct sums *t, const struct lists *l)
{
	struct scale c;
	find_scale(&c, t, s->n);
	logs_log(c.p, c.p_log, s->n);
	logs_log(c.r, c.r_log, s->n);
	memset(s->renormalised, 0, sizeof(s->renormalised));
	for (size_t k = 0; k < LISTING_PLAIN; k++) {
		add_renormalised(
		        s->renormalised, l->test_lp[k], l->base_lp[k], l->test_p[k], &c, s->n);
	}
	for (size_t k = LISTING_PLAIN; k < s->most; k++) {
		add_renormalised_alone(s->renormalised, l->test_lp[k], l->test_p[k], &c, s->n);
	}
}

void sheet_reckon_bounds(struct sheet *s)
{
	struct sums t = {0};
	struct cell first, second;
	struct lists l;
	sheet_column js_rest = {0};
	add_lists(&t, s, &l);
	cut_cells(&first, &second, &t, s->n);
	reckon_cell(&t, js_rest, &first, false, s->n);
	if (s->most > LISTING_PLAIN) {
		reckon_cell(&t, js_rest, &second, true, s->n);
	}
	conclude(s, &t, js_rest, s->n);
	reckon_renormalised(s, &t, &l);
	for (size_t i = 0; i < s->n; i++) {
		s->p_change[i] = l.test_p[s->chosen[i]][i] - l.base_p[s->chosen[i]][i];
	}
}
