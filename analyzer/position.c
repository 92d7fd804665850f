#include "analyzer/position.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define INFER_CHECK_LEAST 1e-10
#define INFER_CHECK_GUARD 1e-12

struct token {
	struct span bytes; /* never empty */
	int32_t id;
};

/* The tokens of the list under way. */
struct names {
	struct token items[POSITION_LIMIT];
};

/* A token without bytes, or one whose bytes were lost on the way, may be any of several. */
static bool identifies(struct span bytes)
{
	const char *first = bytes.len > 0 ? memchr(bytes.data, 0xef, bytes.len) : NULL;
	size_t rest = first ? (size_t)(bytes.data + bytes.len - first) : 0;
	return bytes.len > 0 && !(first && memmem(first, rest, "\xef\xbf\xbd", 3));
}

static bool is_same(const struct token *a, const struct token *b)
{
	/* Most tokens differ in length or in their last byte: nothing is called for these. */
	size_t len = a->bytes.len;
	if (len != b->bytes.len || a->bytes.data[len - 1] != b->bytes.data[len - 1]) {
		return false;
	}
	bool ids = a->id >= 0 && b->id >= 0;
	return (!ids || a->id == b->id) && memcmp(a->bytes.data, b->bytes.data, len) == 0;
}

/* The token's place in the list, made if need be. */
static size_t place_of(struct position *p, struct names *names, struct token token)
{
	for (size_t i = 0; i < p->n; i++) {
		if (is_same(&names->items[i], &token)) {
			return i;
		}
	}
	if (p->n == POSITION_LIMIT) {
		return POSITION_NONE;
	}
	names->items[p->n] = token;
	p->base[p->n] = p->test[p->n] = NAN;
	return p->n++;
}

/* What the least of its POSITION_TOP most probable alternatives has; all of them if it is fewer. */
static float least_kept(const struct columns *c, uint32_t from, uint32_t to)
{
	float kept[POSITION_TOP];
	size_t n = 0;
	if (to - from <= POSITION_TOP) {
		return -INFINITY;
	}
	for (uint32_t row = from; row < to; row++) {
		float lp = c->top_lp[row];
		if (!isfinite(lp) || (n == POSITION_TOP && lp <= kept[n - 1])) {
			continue;
		}
		size_t at = n < POSITION_TOP ? n++ : n - 1;
		for (; at > 0 && kept[at - 1] < lp; at--) {
			kept[at] = kept[at - 1];
		}
		kept[at] = lp;
	}
	return n < POSITION_TOP ? -INFINITY : kept[n - 1];
}

struct side {
	const struct columns *columns;
	uint32_t token;
	double *lps; /* of the position */
	size_t n, best, chosen;
	bool extra; /* the chosen one is not among its alternatives */
};

static void read_side(struct position *p, struct names *names, struct side *s)
{
	const struct columns *c = s->columns;
	uint32_t from = s->token ? c->top_end[s->token - 1] : 0, to = c->top_end[s->token];
	float least = least_kept(c, from, to);
	s->best = s->chosen = POSITION_NONE;
	for (uint32_t row = from; row < to && s->n < POSITION_TOP; row++) {
		struct token t = {columns_top_token(c, row), c->top_ids[row]};
		if (!isfinite(c->top_lp[row]) || c->top_lp[row] < least || !identifies(t.bytes)) {
			continue;
		}
		size_t at = place_of(p, names, t);
		if (at == POSITION_NONE || !isnan(s->lps[at])) {
			continue; /* listed twice: once counts */
		}
		s->lps[at] = (double)c->top_lp[row];
		s->n++;
		if (s->best == POSITION_NONE || s->lps[at] > s->lps[s->best]) {
			s->best = at;
		}
	}
	struct token chosen = {columns_token(c, s->token), c->ids[s->token]};
	if (!identifies(chosen.bytes)) {
		return;
	}
	s->chosen = place_of(p, names, chosen);
	bool known = isfinite(c->lp[s->token]) && !(c->flags[s->token] & TOKEN_MISSING);
	if (s->chosen != POSITION_NONE && isnan(s->lps[s->chosen]) && known) {
		s->lps[s->chosen] = (double)c->lp[s->token];
		s->extra = true;
	}
}

/* Is the token among the k most probable of a side? Among equals those listed first are. */
static bool is_among(const struct position *p, const double *lps, size_t token, size_t k)
{
	size_t before = 0;
	for (size_t i = 0; i < p->n && before < k; i++) {
		before += lps[i] > lps[token] || (lps[i] == lps[token] && i < token);
	}
	return before < k;
}

static void count_shared(struct position *p, bool extra)
{
	p->k = MIN(p->n_base, p->n_test);
	bool whole = p->n_base == p->n_test && !extra;
	for (size_t i = 0; i < p->n; i++) {
		if (isnan(p->base[i]) || isnan(p->test[i])) {
			continue;
		}
		p->shared +=
		        whole || (is_among(p, p->base, i, p->k) && is_among(p, p->test, i, p->k));
	}
}

void position_read(const struct columns *base, uint32_t i, const struct columns *test, uint32_t k,
        struct position *ret)
{
	struct names names;
	struct side b = {.columns = base, .token = i, .lps = ret->base};
	struct side t = {.columns = test, .token = k, .lps = ret->test};
	ret->n = ret->shared = 0;
	read_side(ret, &names, &b);
	read_side(ret, &names, &t);
	ret->n_base = b.n;
	ret->n_test = t.n;
	ret->best_base = b.best;
	ret->best_test = t.best;
	ret->chosen_base = b.chosen;
	ret->chosen_test = t.chosen;
	for (size_t n = 0; n < ret->n; n++) {
		ret->base_p[n] = exp(ret->base[n]);
		ret->test_p[n] = exp(ret->test[n]);
	}
	count_shared(ret, b.extra || t.extra);
}

void position_bounds(const struct position *p, struct bounds *ret)
{
	bounds_of_logs(p->test_p, p->base_p, p->test, p->base, p->n, BOUNDS_GUARD, ret);
}

double position_jaccard(const struct position *p)
{
	return (double)p->shared / (double)(2 * p->k - p->shared);
}

double position_rank(const struct position *p)
{
	size_t chosen = p->chosen_test;
	if (chosen == POSITION_NONE || isnan(p->base[chosen])) {
		return NAN;
	}
	size_t before = 0;
	for (size_t i = 0; i < p->n; i++) {
		before += p->base[i] > p->base[chosen];
	}
	return (double)before;
}

double position_gap(const struct position *p)
{
	double second = NAN;
	for (size_t i = 0; i < p->n; i++) {
		if (i != p->best_base && !isnan(p->base[i]) && !(p->base[i] <= second)) {
			second = p->base[i];
		}
	}
	return p->best_base == POSITION_NONE ? NAN : p->base[p->best_base] - second;
}

static double sum_of(const double *probabilities, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += isnan(probabilities[i]) ? 0 : probabilities[i];
	}
	return sum + INFER_CHECK_GUARD;
}

/* A scaled logprob, kept within the log of INFER_CHECK_LEAST and 0. */
static double scaled(double lp, double log_sum, double least)
{
	return isnan(lp) ? least : fmin(0, fmax(least, lp - log_sum));
}

double position_kl_renormalised(const struct position *p)
{
	const double least = log(INFER_CHECK_LEAST);
	double test_sum = sum_of(p->test_p, p->n), base_sum = sum_of(p->base_p, p->n), kl = 0;
	double test_log = log(test_sum), base_log = log(base_sum);
	for (size_t i = 0; i < p->n; i++) {
		double test = isnan(p->test[i]) ? INFER_CHECK_LEAST : p->test_p[i] / test_sum;
		kl += fmin(1, fmax(INFER_CHECK_LEAST, test)) *
		      (scaled(p->test[i], test_log, least) - scaled(p->base[i], base_log, least));
	}
	return kl;
}
