#include "analyzer/compare/tokens/score_contrast.h"

#include "base/check.h"

#define CANDIDATES_LIMIT 64
#define CANDIDATES_LEAST 3 /* candidates that are examined, if there are that many */

struct candidate {
	double own, scorer; /* logprobs */
	double mean;
	enum { SEEN, NEW, OF_REQUEST } kind;
};

struct candidates { /* by falling mean */
	struct candidate items[CANDIDATES_LIMIT];
	size_t n;
};

static void insert(struct candidates *c, const struct candidate *item)
{
	size_t at = c->n < CANDIDATES_LIMIT ? c->n++ : c->n - 1;
	for (; at > 0 && c->items[at - 1].mean < item->mean; at--) {
		c->items[at] = c->items[at - 1];
	}
	c->items[at] = *item;
}

static void find_candidates(const struct listing *own, const struct listing *scorer,
        const struct recent_tokens *seen, const struct request_words *words, uint32_t at,
        struct candidates *ret)
{
	ret->n = 0;
	for (uint32_t row = scorer->from; row < scorer->to; row++) {
		struct span token = listing_row(scorer, row);
		double scorer_logprob = (double)listing_lp(scorer, row);
		double own_logprob = (double)listing_logprob(own, token);
		if (!isfinite(scorer_logprob) || !isfinite(own_logprob) ||
		        !listing_identifies(token)) {
			continue;
		}
		bool is_seen = recent_tokens_has(seen, token, at);
		const struct candidate item = {
		        .own = own_logprob,
		        .scorer = scorer_logprob,
		        .mean = (own_logprob + scorer_logprob) / 2,
		        .kind = is_seen                            ? SEEN
		                : request_words_have(words, token) ? OF_REQUEST
		                                                   : NEW,
		};
		if (ret->n < CANDIDATES_LIMIT || item.mean > ret->items[ret->n - 1].mean) {
			insert(ret, &item);
		}
	}
	ret->n = MAX(MIN(ret->n, (size_t)CANDIDATES_LEAST), ret->n / 2);
}

/* Returns the new token (of kind NEW) that is nearest to i in the direction of step; NULL if
 * there is none. */
static const struct candidate *nearest_new(const struct candidates *c, size_t i, ptrdiff_t step)
{
	for (ptrdiff_t k = (ptrdiff_t)i + step; k >= 0 && k < (ptrdiff_t)c->n; k += step) {
		if (c->items[k].kind == NEW) {
			return &c->items[k];
		}
	}
	return NULL;
}

static double shift_of(const struct candidate *c)
{
	return c->own - c->scorer;
}

static double interpolated(const struct candidate *above, const struct candidate *below, double at)
{
	double gap = above->mean - below->mean;
	double weight = gap > 0 ? (above->mean - at) / gap : 0.5;
	return (1 - weight) * shift_of(above) + weight * shift_of(below);
}

struct score_contrast score_contrast_at(const struct listing *own, const struct listing *scorer,
        const struct recent_tokens *seen, const struct request_words *words, uint32_t at)
{
	struct candidates c;
	struct score_contrast ret = {NAN, NAN, NAN};
	const struct candidate *first = NULL, *last = NULL;
	double sum = 0;
	size_t n = 0;
	find_candidates(own, scorer, seen, words, at, &c);
	for (size_t i = 0; i < c.n; i++) {
		const struct candidate *item = &c.items[i];
		const struct candidate *above = nearest_new(&c, i, -1);
		const struct candidate *below = nearest_new(&c, i, 1);
		if (item->kind == NEW) {
			first = first ? first : item;
			last = item;
		} else if (item->kind == SEEN && above && below) {
			sum += shift_of(item) - interpolated(above, below, item->mean);
			n++;
		}
	}
	if (n > 0) {
		ret.moved = sum / (double)n;
	}
	if (last != first) {
		ret.own_gap = first->own - last->own;
		ret.scorer_gap = first->scorer - last->scorer;
	}
	return ret;
}
