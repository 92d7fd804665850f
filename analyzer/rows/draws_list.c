#include "analyzer/rows/draws_list.h"

#include <math.h>

#include "analyzer/compare/tokens/listing.h"
#include "base/check.h"

#define COMPLETE_MASS 0.999 /* with this probability mass a list is complete */
#define MASS_MARGIN 0.005   /* tolerance around the requested cut, because engines round */
#define SHARE_MARGIN 1.02
#define SAME_LENGTH 1 /* tokens that a list may lack because two have the same text */

static bool is_usable(const struct columns *c, uint32_t token)
{
	return listing_is_usable(c, token) && !(c->flags[token] & TOKEN_MISNAMED);
}

/* Whether the token ends answers: a mark such as <|im_end|> or </s>, or an empty token. */
static bool ends_answers(struct span token)
{
	return token.len == 0 ||
	       (token.len >= 3 && token.data[0] == '<' && token.data[token.len - 1] == '>');
}

static bool is_chosen(const struct columns *c, uint32_t token, uint32_t row)
{
	if (c->ids[token] >= 0 && c->top_ids[row] >= 0) {
		return c->ids[token] == c->top_ids[row];
	}
	return span_equal(columns_top_token(c, row), columns_token(c, token));
}

static bool is_last_chosen(const struct columns *c, uint32_t token)
{
	struct listing l = listing_at(c, token);
	uint32_t rows[DRAWS_LIST_LIMIT];
	size_t n = listing_best(&l, rows, DRAWS_LIST_LIMIT);
	return n > 0 && is_chosen(c, token, rows[n - 1]);
}

uint32_t draws_list_usual(const struct columns *c)
{
	uint32_t longest = 0;
	bool only_longer = true;
	for (uint32_t i = 0; i < c->n; i++) {
		struct listing l = listing_at(c, i);
		longest = is_usable(c, i) ? MAX(longest, l.to - l.from) : longest;
	}
	for (uint32_t i = 0; i < c->n && only_longer; i++) {
		struct listing l = listing_at(c, i);
		if (is_usable(c, i) && l.to - l.from == longest) {
			only_longer = is_last_chosen(c, i);
		}
	}
	return only_longer && longest > 0 ? longest - 1 : longest;
}

/* Upper bound of the sum, over all tokens, of the probabilities raised to the power b (as a
 * temperature does): an unlisted token is at most as probable as the last listed one. */
static double most_after(const double *lp, size_t n, double b, double mass)
{
	double sum = 0, rest = fmax(0, 1 - mass);
	for (size_t i = 0; i < n; i++) {
		sum += exp(b * lp[i]);
	}
	return b >= 1 ? sum + rest * exp((b - 1) * lp[n - 1]) : INFINITY;
}

/* Takes the candidates from the sorted rows. */
static void take(const struct listing *l, const uint32_t *rows, size_t n, size_t keep, double b,
        struct draws_list *ret)
{
	double lp[DRAWS_LIST_LIMIT], mass = 0, after = 0, all = 0;
	for (size_t i = 0; i < n; i++) {
		lp[i] = (double)listing_lp(l, rows[i]);
		all += exp(lp[i]);
	}
	double sum_after = n ? most_after(lp, n, b, all) : 1;
	for (size_t i = 0; i < keep; i++) {
		if (!ends_answers(listing_row(l, rows[i]))) {
			size_t at = ret->n++;
			ret->row[at] = rows[i];
			ret->rank[at] = (uint32_t)i;
			ret->lp[at] = lp[i];
			ret->mass[at] = mass;
			ret->share[at] = exp(lp[i] - lp[0]);
			ret->mass_after[at] = after;
			ret->share_after[at] = exp(b * (lp[i] - lp[0]));
		}
		mass += exp(lp[i]);
		after += exp(b * lp[i]) / sum_after;
	}
	for (size_t i = ret->n; i-- > 0;) {
		ret->lp[i] -= ret->lp[0];
	}
}

/* Keeps only candidates that no requested cut can leave out. Masses are relative to the list alone.
 * This overestimates them, so fewer candidates stay. */
static void narrow(const struct draws_requested *requested, double b, const double *all_lp,
        size_t n, struct draws_list *ret)
{
	double mass = 0, after = 0, sum = 0, sum_after = 0;
	size_t listed = requested->top_k > 0 ? (size_t)fmin(requested->top_k, (double)n) : n,
	       left = 0;
	for (size_t i = 0; i < listed; i++) {
		sum += exp(all_lp[i]);
		sum_after += exp(b * all_lp[i]);
	}
	double least = requested->min_p * SHARE_MARGIN;
	for (size_t i = 0; i < listed && left < ret->n; i++) {
		double most = fmax(mass / sum, after / sum_after) + MASS_MARGIN;
		if ((requested->top_p < 1 && i > 0 && most >= requested->top_p) ||
		        exp(fmax(1, b) * (all_lp[i] - all_lp[0])) < least) {
			break;
		}
		left += ret->rank[left] == i;
		mass += exp(all_lp[i]);
		after += exp(b * all_lp[i]);
	}
	ret->n = left;
}

static void find_chosen(const struct columns *c, uint32_t token, struct draws_list *ret)
{
	double own = (double)c->lp[token], nearest = INFINITY;
	ret->chosen = ret->n;
	for (size_t i = 0; i < ret->n; i++) {
		double far = fabs((double)c->top_lp[ret->row[i]] - own);
		if (is_chosen(c, token, ret->row[i]) && (ret->chosen == ret->n || far < nearest)) {
			ret->chosen = i;
			nearest = far;
		}
	}
}

bool draws_list_read(const struct columns *c, uint32_t token, uint32_t usual,
        const struct draws_requested *requested, struct draws_list *ret, bool *ret_filtered)
{
	uint32_t rows[DRAWS_LIST_LIMIT];
	double lp[DRAWS_LIST_LIMIT], mass = 0, b = 1 / requested->temperature;
	struct listing l = listing_at(c, token);
	if (!is_usable(c, token)) {
		return false;
	}
	size_t n = listing_best(&l, rows, DRAWS_LIST_LIMIT);
	for (size_t i = 0; i < n; i++) {
		lp[i] = (double)listing_lp(&l, rows[i]);
		mass += exp(lp[i]);
	}
	size_t full = MIN((size_t)usual, (size_t)DRAWS_LIST_LIMIT);
	*ret_filtered = n + SAME_LENGTH < full;
	bool is_whole = n < full && mass >= COMPLETE_MASS;
	size_t keep = is_whole ? n : MIN(n, full) - (n > 0 && full > 0);
	ret->n = 0;
	take(&l, rows, n, keep, b, ret);
	if (ret->n > 0 && (requested->top_k > 0 || requested->top_p < 1 || requested->min_p > 0)) {
		narrow(requested, b, lp, n, ret);
	}
	find_chosen(c, token, ret);
	return true;
}
