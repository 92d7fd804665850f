#include "analyzer/position.h"

#include <math.h>

#include "analyzer/extremes.h"
#include "base/check.h"

#define INFER_CHECK_LEAST 1e-10
#define INFER_CHECK_GUARD 1e-12

/* The tokens of the list under way, which all identify. */
struct names {
	uint64_t heads[POSITION_LIMIT];
	const struct listed *items[POSITION_LIMIT];
	bool contradict; /* ids tell tokens apart that bytes do not */
};

static inline bool has_place(struct names *names, size_t i, const struct listed *token)
{
	const struct listed *known = names->items[i];
	if (names->heads[i] != token->head || !listed_is(known, token)) {
		return false;
	}
	bool same = known->id == token->id || known->id < 0 || token->id < 0;
	names->contradict |= !same;
	return same;
}

/* The token's place in the list, made if need be. */
static inline size_t place_of(struct position *p, struct names *names, const struct listed *token)
{
	size_t n = p->n;
	for (size_t i = 0; i < n; i++) {
		if (has_place(names, i, token)) {
			return i;
		}
	}
	if (n == POSITION_LIMIT) {
		return POSITION_NONE;
	}
	names->heads[n] = token->head;
	names->items[n] = token;
	p->base[n] = p->test[n] = NAN;
	p->n = n + 1;
	return n;
}

/* What the least of its POSITION_TOP most probable alternatives has; all of them if it is fewer. */
static float least_kept(const struct listing *l)
{
	float kept[POSITION_TOP];
	size_t n = 0;
	if (l->n <= POSITION_TOP) {
		return -INFINITY;
	}
	for (size_t i = 0; i < l->n; i++) {
		float lp = l->items[i].lp;
		if (n == POSITION_TOP && lp <= kept[n - 1]) {
			continue;
		}
		size_t at = n < POSITION_TOP ? n++ : n - 1;
		for (; at > 0 && kept[at - 1] < lp; at--) {
			kept[at] = kept[at - 1];
		}
		kept[at] = lp;
	}
	return kept[n - 1];
}

struct side {
	const struct listing *listing;
	double *lps; /* of the position */
	size_t n, best, chosen;
	bool extra; /* the chosen one is not among its alternatives */
	bool plain;
};

static void read_list(struct position *p, struct names *names, struct side *s)
{
	const struct listing *l = s->listing;
	float least = least_kept(l), last = INFINITY;
	s->best = POSITION_NONE;
	s->plain = l->n == POSITION_PLAIN;
	for (size_t i = 0; i < l->n && s->n < POSITION_TOP; i++) {
		const struct listed *token = &l->items[i];
		if (token->lp < least || !token->identifies) {
			s->plain = false;
			continue;
		}
		size_t at = place_of(p, names, token);
		if (at == POSITION_NONE || !isnan(s->lps[at])) {
			s->plain = false;
			continue; /* listed twice: once counts */
		}
		s->lps[at] = (double)token->lp;
		s->n++;
		if (s->best == POSITION_NONE || s->lps[at] > s->lps[s->best]) {
			s->best = at;
		}
		s->plain &= token->lp <= last;
		last = token->lp;
	}
}

static void read_side(struct position *p, struct names *names, struct side *s)
{
	const struct listed *chosen = &s->listing->chosen;
	read_list(p, names, s);
	s->chosen = chosen->identifies ? place_of(p, names, chosen) : POSITION_NONE;
	if (s->chosen != POSITION_NONE && !isnan(s->lps[s->chosen])) {
		return;
	}
	s->plain = false;
	if (s->chosen != POSITION_NONE && isfinite(chosen->lp) && !s->listing->missing) {
		s->lps[s->chosen] = (double)chosen->lp;
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

void position_read(const struct listing *base, const struct listing *test, struct position *ret)
{
	struct names names;
	names.contradict = false;
	struct side b = {.listing = base, .lps = ret->base};
	struct side t = {.listing = test, .lps = ret->test};
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
		ret->base_p[n] = isnan(ret->base[n]) ? NAN : exp(ret->base[n]);
		ret->test_p[n] = isnan(ret->test[n]) ? NAN : exp(ret->test[n]);
	}
	ret->plain = b.plain && t.plain && !names.contradict;
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
	return isnan(lp) ? least : extremes_min(0, extremes_max(least, lp - log_sum));
}

double position_kl_renormalised(const struct position *p)
{
	const double least = log(INFER_CHECK_LEAST);
	double test_sum = sum_of(p->test_p, p->n), base_sum = sum_of(p->base_p, p->n), kl = 0;
	double test_log = log(test_sum), base_log = log(base_sum);
	for (size_t i = 0; i < p->n; i++) {
		double test = isnan(p->test[i]) ? INFER_CHECK_LEAST : p->test_p[i] / test_sum;
		kl += extremes_min(1, extremes_max(INFER_CHECK_LEAST, test)) *
		      (scaled(p->test[i], test_log, least) - scaled(p->base[i], base_log, least));
	}
	return kl;
}
