#include "analyzer/tokens/position.h"

#include <math.h>

#include "analyzer/tokens/logs.h"
#include "analyzer/tokens/plain.h"
#include "base/check.h"

struct token {
	struct listed bytes; /* which identify it */
	int32_t id;
};

/* The tokens of the list under way. */
struct names {
	struct token items[POSITION_LIMIT];
};

static bool is_same(const struct token *a, const struct token *b)
{
	return listed_is(a->bytes, b->bytes) && (a->id == b->id || a->id < 0 || b->id < 0);
}

/* The token's place in the list, made if need be. */
static size_t place_of(struct position *p, struct names *names, const struct token *token)
{
	for (size_t i = 0; i < p->n; i++) {
		if (is_same(&names->items[i], token)) {
			return i;
		}
	}
	if (p->n == POSITION_LIMIT) {
		return POSITION_NONE;
	}
	names->items[p->n] = *token;
	p->base[p->n] = p->test[p->n] = NAN;
	return p->n++;
}

/* What the least of its POSITION_TOP most probable alternatives has; all of them if it is fewer. */
static float least_kept(const struct listing *l)
{
	float kept[POSITION_TOP];
	size_t n = 0;
	if (l->to - l->from <= POSITION_TOP) {
		return -INFINITY;
	}
	for (uint32_t row = l->from; row < l->to; row++) {
		float lp = listing_lp(l, row);
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
	const struct listing *listing;
	double *lps; /* of the position */
	size_t n, best, chosen;
	bool extra; /* the chosen one is not among its alternatives */
};

static void read_list(struct position *p, struct names *names, struct side *s)
{
	const struct listing *l = s->listing;
	float least = least_kept(l);
	s->best = POSITION_NONE;
	for (uint32_t row = l->from; row < l->to && s->n < POSITION_TOP; row++) {
		struct token token = {listing_row(l, row), l->of->columns->top_ids[row]};
		float lp = listing_lp(l, row);
		if (!isfinite(lp) || lp < least || !listed_identifies(token.bytes)) {
			continue;
		}
		size_t at = place_of(p, names, &token);
		if (at == POSITION_NONE || !isnan(s->lps[at])) {
			continue; /* listed twice: once counts */
		}
		s->lps[at] = (double)lp;
		s->n++;
		if (s->best == POSITION_NONE || s->lps[at] > s->lps[s->best]) {
			s->best = at;
		}
	}
}

static void read_side(struct position *p, struct names *names, struct side *s)
{
	const struct columns *c = s->listing->of->columns;
	uint32_t at = s->listing->token;
	struct token chosen = {listing_chosen(s->listing), c->ids[at]};
	read_list(p, names, s);
	s->chosen = POSITION_NONE;
	if (!listed_identifies(chosen.bytes)) {
		return;
	}
	s->chosen = place_of(p, names, &chosen);
	bool known = isfinite(c->lp[at]) && !(c->flags[at] & TOKEN_MISSING);
	if (s->chosen != POSITION_NONE && isnan(s->lps[s->chosen]) && known) {
		s->lps[s->chosen] = (double)c->lp[at];
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

static void read_any(const struct listing *base, const struct listing *test, struct position *ret)
{
	struct names names;
	struct side b = {.listing = base, .lps = ret->base};
	struct side t = {.listing = test, .lps = ret->test};
	read_side(ret, &names, &b);
	read_side(ret, &names, &t);
	ret->n_base = b.n;
	ret->n_test = t.n;
	ret->best_base = b.best;
	ret->best_test = t.best;
	ret->chosen_base = b.chosen;
	ret->chosen_test = t.chosen;
	count_shared(ret, b.extra || t.extra);
}

/* The same as read_any() of lists that are as most are; false: they are not. */
static bool read_plain(const struct listing *base, const struct listing *test, struct position *ret)
{
	const float *base_lp = base->of->columns->top_lp + base->from;
	const float *test_lp = test->of->columns->top_lp + test->from;
	struct plain m;
	if (!plain_match(base, test, INFINITY, &m)) {
		return false;
	}
	for (size_t i = 0; i < m.n; i++) {
		ret->base[i] = i < LISTING_PLAIN ? (double)base_lp[i] : NAN;
		ret->test[i] = NAN;
	}
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		ret->test[m.places[i]] = (double)test_lp[i];
	}
	ret->n = m.n;
	ret->n_base = ret->n_test = ret->k = LISTING_PLAIN;
	ret->shared = (size_t)PLAIN_MOST - m.n;
	ret->best_base = plain_best(base);
	ret->best_test = m.places[plain_best(test)];
	ret->chosen_base = m.chosen_base;
	ret->chosen_test = m.chosen_test;
	return true;
}

void position_read(const struct listing *base, const struct listing *test, struct position *ret)
{
	ret->plain = read_plain(base, test, ret);
	if (!ret->plain) {
		ret->n = ret->shared = 0;
		read_any(base, test, ret);
	}
	logs_exp(ret->base, ret->base_p, ret->n);
	logs_exp(ret->test, ret->test_p, ret->n);
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
		double p = probabilities[i];
		sum += p == p ? p : 0;
	}
	return sum + POSITION_RENORMALISED_GUARD;
}

/* A scaled logprob, kept within the log of POSITION_RENORMALISED_LEAST and 0. */
static double scaled(double lp, double log_sum)
{
	double within = lp - log_sum;
	within = within > POSITION_RENORMALISED_LEAST_LOG
	                 ? within
	                 : POSITION_RENORMALISED_LEAST_LOG; /* or NaN */
	return within < 0 ? within : 0;
}

double position_kl_renormalised(const struct position *p)
{
	double sums[2] = {sum_of(p->test_p, p->n), sum_of(p->base_p, p->n)}, logs[2], kl = 0;
	double scale = 1 / sums[0];
	logs_log(sums, logs, 2);
	for (size_t i = 0; i < p->n; i++) {
		double test = p->test_p[i] * scale;
		test = test > POSITION_RENORMALISED_LEAST
		               ? test
		               : POSITION_RENORMALISED_LEAST; /* or NaN */
		test = test < 1 ? test : 1;
		kl += test * (scaled(p->test[i], logs[0]) - scaled(p->base[i], logs[1]));
	}
	return kl;
}

void position_read_at(const struct columns *base, uint32_t i, const struct columns *test,
        uint32_t k, struct position *ret)
{
	struct listings mine, other;
	listings_begin_first(&mine, base, i + 1);
	listings_begin_first(&other, test, k + 1);
	struct listing b = listings_at(&mine, i), t = listings_at(&other, k);
	position_read(&b, &t, ret);
	listings_end(&mine);
	listings_end(&other);
}
