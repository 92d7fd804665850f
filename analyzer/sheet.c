#include "analyzer/sheet.h"

#include <math.h>

#include "analyzer/logs.h"
#include "base/check.h"
#include "base/clones.h"

/* Probabilities of less might vanish. */
#define LEAST (-600.0)

bool sheet_fits(const struct position *p)
{
	if (!p->plain || p->n != POSITION_PLAIN) {
		return false;
	}
	bool fits = true;
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		fits &= p->base[i] > LEAST && p->test[i] > LEAST;
	}
	return fits;
}

void sheet_add(struct sheet *s, const struct position *p, uint64_t hash, uint8_t mark)
{
	expect(s->n < SHEET_MOST);
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		s->base[i][s->n] = p->base[i];
		s->test[i][s->n] = p->test[i];
	}
	s->hash[s->n] = hash;
	s->mark[s->n++] = mark;
}

/* Sums over the tokens, by row: P is the test, R the base. */
struct sums {
	double p[SHEET_MOST], r[SHEET_MOST];
	double kl[SHEET_MOST], js[SHEET_MOST];
	double above[SHEET_MOST], below[SHEET_MOST], least[SHEET_MOST];
};

static inline double greater(double a, double b)
{
	return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
	return a < b ? a : b;
}

CLONED void begin(struct sums *t)
{
	for (size_t i = 0; i < SHEET_MOST; i++) {
		t->p[i] = t->r[i] = t->kl[i] = t->js[i] = 0;
		t->above[i] = t->below[i] = t->least[i] = 0;
	}
}

/* What one token adds; middles: the mean of both, and its log. */
CLONED void add_token(struct sums *restrict t, const double *restrict p_lp,
        const double *restrict r_lp, const double *restrict p, const double *restrict r,
        const double *restrict middle, const double *restrict logs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double d = p[i] - r[i];
		double js = 0.5 * (p[i] * p_lp[i] + r[i] * r_lp[i]) - middle[i] * logs[i];
		t->p[i] += p[i];
		t->r[i] += r[i];
		t->kl[i] += p[i] * (p_lp[i] - r_lp[i]);
		t->js[i] += d == 0 ? 0 : js;
		t->above[i] += greater(d, 0);
		t->below[i] += greater(-d, 0);
		t->least[i] += lesser(p[i], r[i]);
	}
}

CLONED void find_middles(
        const double *restrict p, const double *restrict r, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = 0.5 * (p[i] + r[i]);
	}
}

/* What is listed by neither side, as the terms x ln(x / y) that it adds; of x = 0 the ratio is 1. */
struct rest {
	double p[SHEET_MOST], r[SHEET_MOST], x[SHEET_MOST], known[SHEET_MOST];
	double ratio[SHEET_MOST], p_ratio[SHEET_MOST], r_ratio[SHEET_MOST];
	double log[SHEET_MOST], p_log[SHEET_MOST], r_log[SHEET_MOST];
};

CLONED void find_rest(struct rest *restrict to, const struct sums *restrict t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double p = greater(0, 1 - t->p[i]), r = greater(0, 1 - t->r[i]);
		double low = greater(0, p - BOUNDS_GUARD), high = p + BOUNDS_GUARD;
		double most = r + BOUNDS_GUARD, bottom = most / M_E;
		double x = bottom <= low ? low : high, middle = 0.5 * (p + r);
		/* Between them the least is at the bottom, whose log is known. */
		double known = bottom < high ? -bottom : 0;
		known = bottom > low ? known : 0;
		x = known < 0 ? 0 : x;
		double ratio = x / most, p_ratio = p / middle, r_ratio = r / middle;
		to->p[i] = p;
		to->r[i] = r;
		to->x[i] = x;
		to->known[i] = known;
		to->ratio[i] = x > 0 ? ratio : 1;
		to->p_ratio[i] = p > 0 ? p_ratio : 1;
		to->r_ratio[i] = r > 0 ? r_ratio : 1;
	}
}

CLONED void conclude(struct sheet *restrict s, const struct sums *restrict t,
        const struct rest *restrict o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double hidden = o->p[i] + o->r[i], js = t->js[i];
		double js_rest = 0.5 * (o->p[i] * o->p_log[i] + o->r[i] * o->r_log[i]);
		double apart = t->above[i] + t->below[i], hidden_apart = o->p[i] - o->r[i];
		double folded = 0.5 * (apart + greater(hidden_apart, -hidden_apart));
		double low = greater(folded, greater(t->above[i], t->below[i]));
		s->kl_low[i] = greater(0, t->kl[i] + o->known[i] + o->x[i] * o->log[i]);
		s->js_low[i] = greater(0, js + js_rest);
		s->js_high[i] = lesser(M_LN2, js + 0.5 * M_LN2 * hidden);
		s->tv_low[i] = low;
		s->tv_high[i] = greater(low, 1 - t->least[i]);
		s->hidden[i] = 0.5 * hidden;
		s->renormalised[i] = 0;
	}
}

CLONED void add_guards(
        const struct sums *restrict t, double *restrict p, double *restrict r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		p[i] = t->p[i] + POSITION_RENORMALISED_GUARD;
		r[i] = t->r[i] + POSITION_RENORMALISED_GUARD;
	}
}

static inline double scaled(double lp, double log_sum)
{
	return lesser(0, greater(POSITION_RENORMALISED_LEAST_LOG, lp - log_sum));
}

CLONED void add_renormalised(double *restrict to, const double *restrict p_lp,
        const double *restrict r_lp, const double *restrict p, const double *restrict p_sum,
        const double *restrict p_log, const double *restrict r_log, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double share = lesser(1, greater(POSITION_RENORMALISED_LEAST, p[i] / p_sum[i]));
		to[i] += share * (scaled(p_lp[i], p_log[i]) - scaled(r_lp[i], r_log[i]));
	}
}

static void reckon_renormalised(struct sheet *s, const struct sums *t)
{
	double p[SHEET_MOST], r[SHEET_MOST], p_log[SHEET_MOST], r_log[SHEET_MOST];
	add_guards(t, p, r, s->n);
	logs_log(p, p_log, s->n);
	logs_log(r, r_log, s->n);
	for (size_t k = 0; k < POSITION_PLAIN; k++) {
		add_renormalised(s->renormalised, s->test[k], s->base[k], s->test_p[k], p, p_log,
		        r_log, s->n);
	}
}

void sheet_reckon(struct sheet *s)
{
	struct sums t;
	struct rest o;
	double middle[SHEET_MOST], logs[SHEET_MOST];
	begin(&t);
	for (size_t k = 0; k < POSITION_PLAIN; k++) {
		logs_exp(s->base[k], s->base_p[k], s->n);
		logs_exp(s->test[k], s->test_p[k], s->n);
		find_middles(s->test_p[k], s->base_p[k], middle, s->n);
		logs_log(middle, logs, s->n);
		add_token(
		        &t, s->test[k], s->base[k], s->test_p[k], s->base_p[k], middle, logs, s->n);
	}
	find_rest(&o, &t, s->n);
	logs_log(o.ratio, o.log, s->n);
	logs_log(o.p_ratio, o.p_log, s->n);
	logs_log(o.r_ratio, o.r_log, s->n);
	conclude(s, &t, &o, s->n);
	reckon_renormalised(s, &t);
}
