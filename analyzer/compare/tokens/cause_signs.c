#include "analyzer/compare/tokens/cause_signs.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define LISTED 20      /* alternatives of a side that are examined */
#define LISTS_SUMMED 4 /* lists of each answer that are summed */
#define OVER_ONE 1.01
#define FOREIGN_DISTANCE 0.5 /* least total variation distance */
#define FOREIGN_SHARED 0.25  /* greatest Jaccard index of the lists */

/* The list at a token, without what is not examined of it. */
static struct listing list_at(const struct columns *c, uint32_t token)
{
	struct listing l = listing_at(c, token);
	l.to = MIN(l.to, l.from + LISTED);
	return l;
}

static uint32_t best_of(const struct columns *c, uint32_t token)
{
	struct listing l = list_at(c, token);
	uint32_t best = l.from;
	for (uint32_t row = l.from + 1; row < l.to; row++) {
		best = c->top_lp[row] > c->top_lp[best] ? row : best;
	}
	return best;
}

static bool lists(const struct columns *c, uint32_t token, struct span bytes)
{
	struct listing l = list_at(c, token);
	for (uint32_t row = l.from; row < l.to; row++) {
		if (span_equal(columns_top_token(c, row), bytes)) {
			return true;
		}
	}
	return false;
}

/* Whether the token occurs in the request's text. Blanks around it are ignored. */
static bool is_in_request(struct span token, struct span request)
{
	while (token.len && token.data[0] == ' ') {
		token.data++;
		token.len--;
	}
	return token.len && request.len && memmem(request.data, request.len, token.data, token.len);
}

/* best: row of the most probable token in the list at position i; before: that token already
 * occurs earlier in the answer. */
static void count_against(const struct columns *c, uint32_t i, uint32_t best, bool before,
        struct span request, struct cause_choices *ret)
{
	ret->best++;
	ret->best_seen += before;
	if (!(c->flags[i] & TOKEN_NOT_TOP)) {
		return;
	}
	ret->not_top++;
	if (before) {
		double gap = (double)c->top_lp[best] - (double)c->lp[i];
		ret->repeats++;
		ret->passed = fmax(ret->passed, gap); /* a NaN is passed over */
	} else {
		ret->strange += !is_in_request(columns_top_token(c, best), request);
	}
}

/* Counts the most probable tokens that the answer did not choose; such answers are rare. */
static void read_against(struct recent_tokens *seen, const struct columns *c, struct span request,
        struct cause_choices *ret)
{
	recent_tokens_begin(seen);
	for (uint32_t i = 0; i < c->n; i++) {
		if (listing_is_usable(c, i)) {
			uint32_t best = best_of(c, i);
			bool before = recent_tokens_has(seen, columns_top_token(c, best), i);
			count_against(c, i, best, before, request, ret);
		}
		recent_tokens_add(seen, columns_token(c, i), i);
	}
}

static bool sums_to_more(const struct columns *c, uint32_t token)
{
	struct listing l = list_at(c, token);
	double sum = 0;
	for (uint32_t row = l.from; row < l.to; row++) {
		sum += isfinite(c->top_lp[row]) ? exp((double)c->top_lp[row]) : 0;
	}
	return sum > OVER_ONE;
}

static void read_choices(
        struct cause_signs_reader *r, const struct choice *choice, struct cause_choices *ret)
{
	const struct columns *c = &choice->columns;
	if (!choice->has_columns) {
		return;
	}
	for (uint32_t i = 0; i < c->n && ret->lists < LISTS_SUMMED; i++) {
		if (listing_is_usable(c, i)) {
			ret->lists++;
			ret->over_one += sums_to_more(c, i);
		}
	}
	if (!r->greedy) {
		return;
	}
	bool against = false;
	for (uint32_t i = 0; i < c->n; i++) {
		bool usable = listing_is_usable(c, i);
		ret->tokens += usable;
		against |= usable && (c->flags[i] & TOKEN_NOT_TOP);
		if (usable && (c->flags[i] & TOKEN_UNLISTED)) {
			/* the chosen token is missing from the list of its own position */
			ret->unlisted++;
			ret->shifted += i + 1 < c->n && lists(c, i + 1, columns_token(c, i));
		}
	}
	/* In a tool call, a grammar may force a token that is not the most probable one. */
	if (against && choice->n_calls == 0) {
		read_against(&r->seen, c, r->request, ret);
	}
}

static bool is_shared(const struct position *p, size_t i)
{
	return p->base_row[i] != POSITION_NO_ROW && p->test_row[i] != POSITION_NO_ROW;
}

/* Compares the gap between the two tokens that are most probable by both sides together. Taking
 * one side's own top tokens would be biased, because that side's noise may have put them there. */
static void add_gap(struct cause_signs *s, const struct position *p)
{
	size_t best = SIZE_MAX, second = SIZE_MAX;
	for (size_t i = 0; i < p->n; i++) {
		double sum = p->base[i] + p->test[i];
		if (!is_shared(p, i)) {
			continue;
		}
		if (best == SIZE_MAX || sum > p->base[best] + p->test[best]) {
			second = best;
			best = i;
		} else if (second == SIZE_MAX || sum > p->base[second] + p->test[second]) {
			second = i;
		}
	}
	if (second == SIZE_MAX) {
		return;
	}
	double base = p->base[best] - p->base[second], test = p->test[best] - p->test[second];
	s->gap_base_squares += base * base;
	s->gap_test_squares += test * test;
	s->gap_products += base * test;
	s->gaps++;
	s->noise += fmin(CAUSE_SIGNS_NOISE_MOST, fabs(test - base));
	s->noise_n++;
}

/* How far the test moved, at one position, the logprobs of tokens that are new to the answer [0]
 * and of tokens that occur earlier in it [1]. */
struct contrast {
	double sums[2];
	uint32_t n[2];
	bool moved;
};

static bool has_been(const struct cause_signs_reader *r, struct span token, uint32_t at)
{
	return recent_tokens_has(&r->seen, token, at) || is_in_request(token, r->request);
}

static void read_first(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b)
{
	struct cause_signs *s = r->signs;
	s->has_first = true;
	s->opening = at->at.a == 0;
	s->against[SIDE_BASE] = (listing_flags(&at->base) & TOKEN_NOT_TOP) != 0;
	s->against[SIDE_TEST] = (listing_flags(&at->test) & TOKEN_NOT_TOP) != 0;
	s->occurred[SIDE_BASE] = has_been(r, listing_chosen(&at->base), at->at.a);
	s->occurred[SIDE_TEST] = has_been(r, listing_chosen(&at->test), at->at.a);
	size_t k = position_shorter_length(p);
	s->foreign = b && k >= 2 && b->tv_low >= FOREIGN_DISTANCE &&
	             position_jaccard(p, k) <= FOREIGN_SHARED;
}

void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret)
{
	*ret = (struct cause_signs){0};
	r->signs = ret;
	r->greedy = greedy;
	r->request = request;
	recent_tokens_begin(&r->seen);
}

void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b)
{
	struct contrast contrast = {0};
	for (size_t i = 0; i < p->n; i++) {
		if (is_shared(p, i)) {
			struct span token = listing_row(&at->base, p->base_row[i]);
			bool before = recent_tokens_has(&r->seen, token, at->at.a);
			contrast.sums[before] += p->test[i] - p->base[i];
			contrast.n[before]++;
			contrast.moved |= p->test[i] != p->base[i];
		}
	}
	if (contrast.moved && contrast.n[0] > 0 && contrast.n[1] > 0) {
		r->signs->contrast += contrast.sums[1] / (double)contrast.n[1] -
		                      contrast.sums[0] / (double)contrast.n[0];
		r->signs->contrast_n++;
	}
	add_gap(r->signs, p);
	if (at->at.equal) {
		recent_tokens_add(&r->seen, listing_chosen(&at->base), at->at.a);
	} else if (r->greedy && !r->signs->has_first) {
		read_first(r, at, p, b);
	}
}

void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test)
{
	read_choices(r, base, &r->signs->choices[SIDE_BASE]);
	read_choices(r, test, &r->signs->choices[SIDE_TEST]);
}
