#include "analyzer/position.h"

#include <math.h>

#include "analyzer/logs.h"
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

_Static_assert(POSITION_PLAIN == 5, "the functions below name each token");

static inline bool has_logprobs(const struct listing *l)
{
	const float *lps = l->of->columns->top_lp + l->from;
	/* NaN as soon as one is not finite. */
	return lps[0] * 0 + lps[1] * 0 + lps[2] * 0 + lps[3] * 0 + lps[4] * 0 == 0;
}

/* POSITION_PLAIN tokens that identify, each once, all with a logprob. */
static bool is_plain(const struct listing *l)
{
	const uint64_t *k = l->of->top_keys + l->from;
	uint64_t a = k[0], b = k[1], c = k[2], d = k[3], e = k[4];
	bool known = (a != 0) & (b != 0) & (c != 0) & (d != 0) & (e != 0);
	bool once = (a != b) & (a != c) & (a != d) & (a != e) & (b != c) & (b != d) & (b != e) &
	            (c != d) & (c != e) & (d != e);
	return known && once && !((a | b | c | d | e) & LISTING_LOST) && has_logprobs(l);
}

static inline bool is_long_enough(const struct listing *l)
{
	return l->to - l->from == POSITION_PLAIN;
}

static size_t best_of(const float *lps)
{
	size_t best = 0;
	for (size_t i = 1; i < POSITION_PLAIN; i++) {
		if (lps[i] > lps[best]) {
			best = i;
		}
	}
	return best;
}

/* Do both list the same tokens in the same order, as they do at most positions? Ids must not deny it. */
static bool is_alike(const struct listing *a, const struct listing *b)
{
	const uint64_t *k = a->of->top_keys + a->from, *o = b->of->top_keys + b->from;
	const int32_t *ids = a->of->columns->top_ids + a->from,
	              *others = b->of->columns->top_ids + b->from;
	uint64_t differ =
	        (k[0] ^ o[0]) | (k[1] ^ o[1]) | (k[2] ^ o[2]) | (k[3] ^ o[3]) | (k[4] ^ o[4]);
	for (size_t i = 0; i < POSITION_PLAIN && !differ; i++) {
		uint32_t row = (uint32_t)i;
		if (ids[i] != others[i] && ids[i] >= 0 && others[i] >= 0) {
			return false;
		}
		if ((k[i] & LISTING_LONG) && !span_equal(listing_row(a, a->from + row).bytes,
		                                     listing_row(b, b->from + row).bytes)) {
			return false;
		}
	}
	return !differ;
}

/* The place of a token in a plain list, POSITION_PLAIN if it has none. False: its id denies it, or its
 * key is not all of it. */
static inline bool find_plain(
        const struct listing *l, struct listed token, int32_t id, size_t hint, size_t *ret)
{
	const uint64_t *keys = l->of->top_keys + l->from;
	size_t at = hint;
	if (keys[hint] != token.key) {
		for (at = 0; at < POSITION_PLAIN && keys[at] != token.key; at++) {
		}
	}
	*ret = at;
	if (at == POSITION_PLAIN) {
		return true;
	}
	uint32_t row = l->from + (uint32_t)at;
	int32_t other = l->of->columns->top_ids[row];
	return (id == other || id < 0 || other < 0) && listed_is(listing_row(l, row), token);
}

static inline bool find_chosen(const struct listing *l, size_t *ret)
{
	int32_t id = l->of->columns->ids[l->token];
	return find_plain(l, listing_chosen(l), id, 0, ret) && *ret < POSITION_PLAIN;
}

static void take_alike(
        const float *base_lp, const float *test_lp, size_t chosen, struct position *ret)
{
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		ret->base[i] = (double)base_lp[i];
		ret->test[i] = (double)test_lp[i];
	}
	ret->n = ret->n_base = ret->n_test = ret->k = ret->shared = POSITION_PLAIN;
	ret->best_test = best_of(test_lp);
	ret->chosen_test = chosen;
}

/* The same as read_any() of lists that are as most are; false: they are not. */
static bool read_plain(const struct listing *base, const struct listing *test, struct position *ret)
{
	const float *base_lp = base->of->columns->top_lp + base->from;
	const float *test_lp = test->of->columns->top_lp + test->from;
	size_t places[POSITION_PLAIN], chosen, n = POSITION_PLAIN, at;
	bool alike = is_long_enough(base) && is_long_enough(test) && is_alike(base, test);
	if (!is_long_enough(base) || !is_long_enough(test) || !is_plain(base) ||
	        !(alike ? has_logprobs(test) : is_plain(test)) ||
	        !find_chosen(base, &ret->chosen_base) || !find_chosen(test, &chosen)) {
		return false;
	}
	ret->best_base = best_of(base_lp);
	if (alike) {
		take_alike(base_lp, test_lp, chosen, ret);
		return true;
	}
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		ret->base[i] = (double)base_lp[i];
		ret->test[i] = NAN;
	}
	for (size_t i = 0; i < POSITION_PLAIN; i++) {
		uint32_t row = test->from + (uint32_t)i;
		int32_t id = test->of->columns->top_ids[row];
		if (!find_plain(base, listing_row(test, row), id, i, &at)) {
			return false;
		}
		if (at == POSITION_PLAIN) {
			at = n++;
			ret->base[at] = NAN;
		}
		places[i] = at;
		ret->test[at] = (double)test_lp[i];
	}
	ret->n = n;
	ret->n_base = ret->n_test = ret->k = POSITION_PLAIN;
	ret->best_test = places[best_of(test_lp)];
	ret->chosen_test = places[chosen];
	ret->shared = 2 * (size_t)POSITION_PLAIN - n;
	return true;
}

void position_match(const struct listing *base, const struct listing *test, struct position *ret)
{
	ret->plain = read_plain(base, test, ret);
	if (!ret->plain) {
		ret->n = ret->shared = 0;
		read_any(base, test, ret);
	}
}

void position_weigh(struct position *p)
{
	logs_exp(p->base, p->base_p, p->n);
	logs_exp(p->test, p->test_p, p->n);
}

void position_read(const struct listing *base, const struct listing *test, struct position *ret)
{
	position_match(base, test, ret);
	position_weigh(ret);
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
