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

/* Returns the row of the most probable alternative that has a logprob; l->to if there is none. */
static uint32_t best_told(const struct listing *l)
{
	uint32_t best = l->to;
	for (uint32_t row = l->from; row < l->to; row++) {
		float lp = listing_lp(l, row);
		if (isfinite(lp) && (best == l->to || lp > listing_lp(l, best))) {
			best = row;
		}
	}
	return best;
}

static bool names_untold(const struct listing *l, const struct listing *other)
{
	for (uint32_t row = l->from; row < l->to; row++) {
		uint32_t best = isfinite(listing_lp(l, row)) ? other->to : best_told(other);
		if (best < other->to && span_equal(listing_row(l, row), listing_row(other, best))) {
			return true;
		}
	}
	return false;
}

bool listing_tops_are_known(const struct listing *base, const struct listing *test)
{
	return !names_untold(test, base) && !names_untold(base, test);
}

void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test)
{
	*w = (struct listing_walk){.base.columns = base, .test.columns = test};
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
