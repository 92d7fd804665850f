#include "analyzer/compare/tokens/listing.h"

#include <string.h>

bool listing_identifies(struct span token)
{
	const char *at = token.data, *end = at + token.len;
	while (at < end && (at = memchr(at, 0xef, (size_t)(end - at)))) {
		if (end - at >= 3 && memcmp(at, "\xef\xbf\xbd", 3) == 0) {
			return false;
		}
		at++;
	}
	return token.len > 0;
}

float listing_logprob(const struct listing *l, struct span token)
{
	for (uint32_t row = l->from; row < l->to; row++) {
		if (isfinite(listing_lp(l, row)) && span_equal(listing_row(l, row), token)) {
			return listing_lp(l, row);
		}
	}
	float lp = listing_chosen_lp(l);
	return span_equal(listing_chosen(l), token) && isfinite(lp) ? lp : NAN;
}

size_t listing_best(const struct listing *l, uint32_t *ret_rows, size_t most)
{
	size_t n = 0;
	for (uint32_t row = l->from; row < l->to; row++) {
		float lp = listing_lp(l, row);
		if (!isfinite(lp) || (n == most && lp <= listing_lp(l, ret_rows[n - 1]))) {
			continue;
		}
		size_t at = n < most ? n++ : n - 1;
		for (; at > 0 && listing_lp(l, ret_rows[at - 1]) < lp; at--) {
			ret_rows[at] = ret_rows[at - 1];
		}
		ret_rows[at] = row;
	}
	return n;
}

float listing_least(const struct listing *l)
{
	float least = NAN;
	for (uint32_t row = l->from; row < l->to; row++) {
		float lp = listing_lp(l, row);
		least = isfinite(lp) && !(lp >= least) ? lp : least;
	}
	return least;
}

/* Whether the other side's most probable token is in the list without a logprob. */
static bool names_without_logprob(const struct listing *l, const struct listing *other)
{
	uint32_t best = 0;
	bool found = false;
	if (listing_best(other, &best, 1) > 0) {
		struct span token = listing_row(other, best);
		for (uint32_t row = l->from; row < l->to; row++) {
			found |= !isfinite(listing_lp(l, row)) &&
			         span_equal(listing_row(l, row), token);
		}
	}
	return found;
}

bool listing_tops_are_known(const struct listing *base, const struct listing *test)
{
	return !names_without_logprob(test, base) && !names_without_logprob(base, test);
}

#define DECIMALS 1e4     /* 10 to the power of the decimals */
#define ROUNDED_LEAST 10 /* logprobs; fewer may have few decimals by chance */

static bool are_rounded(const struct columns *c)
{
	size_t n = 0;
	for (uint32_t row = 0; c->n > 0 && row < c->top_end[c->n - 1]; row++) {
		double units = DECIMALS * (double)c->top_lp[row];
		if (!isfinite(units) || units == 0) {
			continue;
		}
		/* A float has 24 bits, so it is not exactly a multiple of 0.0001. */
		if (fabs(units - round(units)) > 0x1p-24 * fabs(units)) {
			return false;
		}
		n++;
	}
	return n >= ROUNDED_LEAST;
}

double listing_rounding(const struct columns *base, const struct columns *test)
{
	return are_rounded(base) || are_rounded(test) ? 0.5 / DECIMALS : 0;
}

void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test)
{
	*w = (struct listing_walk){
	        .base.columns = base,
	        .test.columns = test,
	        .rounding = listing_rounding(base, test),
	};
}

bool listing_walk_next(struct listing_walk *w)
{
	const struct columns *base = w->base.columns, *test = w->test.columns;
	if (!position_walk_next(base, test, &w->at)) {
		return false;
	}
	w->base = listing_at(base, w->at.a);
	w->test = listing_at(test, w->at.b);
	return true;
}
