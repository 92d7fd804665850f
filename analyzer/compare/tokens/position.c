#include "analyzer/compare/tokens/position.h"

#include <math.h>

struct token {
	struct span bytes;
	int32_t id;
};

/* The tokens of the list in progress. */
struct names {
	struct token items[POSITION_LIMIT];
};

/* Returns the token's place in the list; adds the token if it is new. */
static size_t place_of(struct position *p, struct names *names, const struct token *token)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct token *known = &names->items[i];
		bool same_id = known->id == token->id || known->id < 0 || token->id < 0;
		if (same_id && span_equal(known->bytes, token->bytes)) {
			return i;
		}
	}
	if (p->n == POSITION_LIMIT) {
		return POSITION_NONE;
	}
	names->items[p->n] = *token;
	p->base[p->n] = p->test[p->n] = NAN;
	p->base_row[p->n] = p->test_row[p->n] = POSITION_NO_ROW;
	return p->n++;
}

/* Returns the logprob of the last of the POSITION_LIST_LIMIT most probable alternatives;
 * -INFINITY if there are no more than that, which keeps all. */
static float least_kept(const struct listing *l)
{
	uint32_t kept[POSITION_LIST_LIMIT];
	if (l->to - l->from <= POSITION_LIST_LIMIT) {
		return -INFINITY;
	}
	size_t n = listing_best(l, kept, POSITION_LIST_LIMIT);
	return n < POSITION_LIST_LIMIT ? -INFINITY : listing_lp(l, kept[n - 1]);
}

struct side {
	const struct listing *listing;
	double *lps; /* of the position, as are the rows */
	uint32_t *rows;
	size_t n, best, chosen;
};

static void read_list(struct position *p, struct names *names, struct side *s)
{
	const struct listing *l = s->listing;
	float least = least_kept(l), best = -INFINITY;
	s->best = POSITION_NONE;
	for (uint32_t row = l->from; row < l->to && s->n < POSITION_LIST_LIMIT; row++) {
		struct token token = {listing_row(l, row), l->columns->top_ids[row]};
		float lp = listing_lp(l, row);
		if (!isfinite(lp) || lp < least) {
			continue;
		}
		bool identifies = listing_identifies(token.bytes);
		size_t at = identifies ? place_of(p, names, &token) : POSITION_NONE;
		if (lp > best) {
			best = lp;
			s->best = at;
		}
		/* a token that is listed twice counts once */
		if (at != POSITION_NONE && isnan(s->lps[at])) {
			s->lps[at] = (double)lp;
			s->rows[at] = row;
			s->n++;
		}
	}
}

static void read_side(struct position *p, struct names *names, struct side *s)
{
	const struct columns *c = s->listing->columns;
	uint32_t at = s->listing->token;
	struct token chosen = {listing_chosen(s->listing), c->ids[at]};
	read_list(p, names, s);
	s->chosen = POSITION_NONE;
	if (!listing_identifies(chosen.bytes)) {
		return;
	}
	s->chosen = place_of(p, names, &chosen);
	bool known = isfinite(c->lp[at]) && !(c->flags[at] & TOKEN_MISSING);
	if (s->chosen != POSITION_NONE && isnan(s->lps[s->chosen]) && known) {
		s->lps[s->chosen] = (double)c->lp[at];
	}
}

/* Whether the token is among a side's k most probable. Among equally probable tokens those
 * listed first count. */
static bool is_among(const struct position *p, const double *lps, size_t token, size_t k)
{
	size_t before = 0;
	for (size_t i = 0; i < p->n && before < k; i++) {
		before += lps[i] > lps[token] || (lps[i] == lps[token] && i < token);
	}
	return before < k;
}

static void find_probabilities(const double *lps, double *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = exp(lps[i]);
	}
}

void position_read(const struct listing *base, const struct listing *test, struct position *ret)
{
	struct names names;
	struct side b = {.listing = base, .lps = ret->base, .rows = ret->base_row};
	struct side t = {.listing = test, .lps = ret->test, .rows = ret->test_row};
	ret->n = 0;
	read_side(ret, &names, &b);
	read_side(ret, &names, &t);
	ret->n_base = b.n;
	ret->n_test = t.n;
	ret->best_base = b.best;
	ret->best_test = t.best;
	ret->chosen_test = t.chosen;
	find_probabilities(ret->base, ret->base_p, ret->n);
	find_probabilities(ret->test, ret->test_p, ret->n);
}

void position_bounds(const struct position *p, double rounding, struct bounds *ret)
{
	bounds_of(p->test_p, p->base_p, p->test, p->base, p->n, BOUNDS_GUARD, rounding, ret);
}

double position_jaccard(const struct position *p, size_t k)
{
	size_t shared = 0;
	bool all = p->n_base == k && p->n_test == k; /* an alternative's place never exceeds k */
	for (size_t i = 0; i < p->n; i++) {
		bool both = p->base_row[i] != POSITION_NO_ROW && p->test_row[i] != POSITION_NO_ROW;
		shared +=
		        both && (all || (is_among(p, p->base, i, k) && is_among(p, p->test, i, k)));
	}
	return (double)shared / (double)(2 * k - shared);
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

/* Sums up the probabilities of the tokens that the side lists. */
static double sum_of(const double *probabilities, size_t n)
{
	double sum = POSITION_RENORMALISED_GUARD;
	for (size_t i = 0; i < n; i++) {
		sum += isnan(probabilities[i]) ? 0 : probabilities[i];
	}
	return sum;
}

/* The log of a probability divided by that sum; the quotient is kept between
 * POSITION_RENORMALISED_LEAST and 1. */
static double renormalised(double lp, double log_sum)
{
	double least = log(POSITION_RENORMALISED_LEAST);
	return isnan(lp) ? least : fmin(fmax(lp - log_sum, least), 0);
}

double position_kl_renormalised(const struct position *p)
{
	double test_sum = sum_of(p->test_p, p->n), base_sum = sum_of(p->base_p, p->n);
	double log_test = log(test_sum), log_base = log(base_sum), kl = 0;
	for (size_t i = 0; i < p->n; i++) {
		double share = isnan(p->base_p[i]) ? 0 : p->base_p[i] / base_sum;
		kl += fmin(fmax(share, POSITION_RENORMALISED_LEAST), 1) *
		      (renormalised(p->base[i], log_base) - renormalised(p->test[i], log_test));
	}
	return kl;
}
