#include "analyzer/tokens/cause_signs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define LISTED 20      /* alternatives of a side that are looked at */
#define LISTS_SUMMED 4 /* of an answer */
#define OVER_ONE 1.01
#define FOREIGN_DISTANCE 0.5 /* of total variation, at least */
#define FOREIGN_SHARED 0.25  /* Jaccard's index of the lists, at most */

struct rows {
	uint32_t from, to;
};

static struct rows rows_of(const struct columns *c, uint32_t token)
{
	uint32_t from = token ? c->top_end[token - 1] : 0;
	return (struct rows){from, MIN(c->top_end[token], from + LISTED)};
}

/* Is the first of a list the best of it, as engines write them? Not known of another length. */
static inline bool begins_with_best(const struct columns *c, struct rows r)
{
	return r.to - r.from == LISTING_PLAIN && listing_begins_with_best(c->top_lp + r.from);
}

static uint32_t best_of(const struct columns *c, uint32_t token)
{
	struct rows r = rows_of(c, token);
	if (begins_with_best(c, r)) {
		return r.from;
	}
	uint32_t best = r.from;
	for (uint32_t row = r.from + 1; row < r.to; row++) {
		best = c->top_lp[row] > c->top_lp[best] ? row : best;
	}
	return best;
}

static bool lists(const struct columns *c, uint32_t token, struct span bytes)
{
	struct rows r = rows_of(c, token);
	for (uint32_t row = r.from; row < r.to; row++) {
		if (span_equal(columns_top_token(c, row), bytes)) {
			return true;
		}
	}
	return false;
}

/* A word of the request's text; blanks around a token are no part of it. */
static bool is_in_request(struct span token, struct span request)
{
	while (token.len && token.data[0] == ' ') {
		token.data++;
		token.len--;
	}
	return token.len && request.len && memmem(request.data, request.len, token.data, token.len);
}

/* best: of the list of token i; before: it had been in the answer. */
static void count_against(const struct columns *c, uint32_t i, struct span best, bool before,
        struct span request, struct cause_choices *ret)
{
	ret->best++;
	ret->best_seen += before;
	if (c->flags[i] & TOKEN_NOT_TOP) {
		ret->not_top++;
		ret->repeats += before;
		ret->strange += !before && !is_in_request(best, request);
	}
}

/* Had the best of a list been there, before another was chosen? */
static bool passed_over(struct cause_memory *seen, const struct columns *c, uint32_t row,
        const struct listed *chosen, uint32_t at)
{
	const struct listed best = {listing_row_key(c, row), columns_top_token(c, row)};
	return cause_memory_turn(seen, &best, chosen, at);
}

/* keys: of the answer's tokens. */
static void read_token(struct cause_memory *seen, const struct columns *c, const uint64_t *keys,
        uint32_t i, struct span request, struct cause_choices *ret)
{
	const struct listed chosen = {keys[i], columns_token(c, i)};
	if (!listing_is_told(c, i)) {
		cause_memory_add(seen, chosen, i);
		return;
	}
	uint32_t row = best_of(c, i);
	struct span best = columns_top_token(c, row);
	/* Which it nearly always is, so that one hash is enough. */
	bool is_chosen = span_equal(best, chosen.bytes);
	bool before = is_chosen ? cause_memory_again(seen, &chosen, i)
	                        : passed_over(seen, c, row, &chosen, i);
	count_against(c, i, best, before, request, ret);
}

/* The tokens that an answer passed over, which is rare. */
static void read_against(struct cause_memory *seen, const struct columns *c, struct span request,
        struct cause_choices *ret)
{
	cause_memory_begin(seen);
	uint64_t *keys = listing_keys(c->bytes, c->bytes_end, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t usual = listing_chose_best(c, keys, i);
		ret->best += usual;
		ret->best_seen += cause_memory_again_all(seen, keys + i, i, usual);
		i += usual;
		if (i < c->n) {
			read_token(seen, c, keys, i, request, ret);
		}
	}
	free(keys);
}

static bool sums_to_more(const struct columns *c, uint32_t token)
{
	struct rows r = rows_of(c, token);
	double sum = 0;
	for (uint32_t row = r.from; row < r.to; row++) {
		sum += isfinite(c->top_lp[row]) ? exp((double)c->top_lp[row]) : 0;
	}
	return sum > OVER_ONE;
}

/* The chosen tokens that are in no list of their own. */
static void count_unlisted(const struct columns *c, struct cause_choices *ret)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if ((c->flags[i] & TOKEN_UNLISTED) && listing_is_told(c, i)) {
			ret->unlisted++;
			ret->shifted += i + 1 < c->n && lists(c, i + 1, columns_token(c, i));
		}
	}
}

static void sum_lists(const struct columns *c, struct cause_choices *ret)
{
	for (uint32_t i = 0; i < c->n && ret->lists < LISTS_SUMMED; i++) {
		if (listing_is_told(c, i)) {
			ret->lists++;
			ret->over_one += sums_to_more(c, i);
		}
	}
}

static void read_choices(
        struct cause_signs_reader *r, const struct choice *choice, struct cause_choices *ret)
{
	const struct columns *c = &choice->columns;
	uint32_t told;
	if (!choice->has_columns) {
		return;
	}
	sum_lists(c, ret);
	uint8_t flags = listing_flags_told(c, &told);
	if (!r->greedy) {
		return;
	}
	ret->tokens += told;
	if (flags & TOKEN_UNLISTED) {
		count_unlisted(c, ret);
	}
	/* A grammar may choose a call's tokens, against any list. */
	if ((flags & TOKEN_NOT_TOP) && choice->n_calls == 0) {
		read_against(&r->seen, c, r->request, ret);
	}
}

/* The tokens of a position that both sides list: the base's rows, and what each side says of them. */
struct shared {
	const struct listing *base_listing;
	size_t n;
	uint32_t rows[LISTED];
	double base[LISTED], test[LISTED];
};

static inline void share(struct shared *to, uint32_t row, double base, double test)
{
	to->rows[to->n] = row;
	to->base[to->n] = base;
	to->test[to->n++] = test;
}

/* Of lists that are as most are: they are matched already. */
static void share_plain(const struct position *p, struct shared *ret)
{
	for (uint32_t i = 0; i < LISTING_PLAIN; i++) {
		if (!isnan(p->test[i])) {
			share(ret, ret->base_listing->from + i, p->base[i], p->test[i]);
		}
	}
}

static struct rows rows_listed(const struct listing *l)
{
	return (struct rows){l->from, MIN(l->to, l->from + LISTED)};
}

static void share_any(const struct listing *base, const struct listing *test, struct shared *ret)
{
	struct rows b = rows_listed(base), t = rows_listed(test);
	for (uint32_t row = b.from; row < b.to; row++) {
		struct listed token = listing_row(base, row);
		uint32_t at = t.from;
		while (at < t.to && !listed_is(listing_row(test, at), token)) {
			at++;
		}
		if (at < t.to && token.bytes.len && isfinite(listing_lp(base, row)) &&
		        isfinite(listing_lp(test, at))) {
			share(ret, row, (double)listing_lp(base, row),
			        (double)listing_lp(test, at));
		}
	}
}

/* The two that both together hold most probable: by neither side's own choice, for what one side puts
 * first owes that to its own noise. */
static void add_gap(struct cause_signs *s, const struct shared *p)
{
	size_t best = SIZE_MAX, second = SIZE_MAX;
	for (size_t i = 0; i < p->n; i++) {
		double sum = p->base[i] + p->test[i];
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
	s->gap_base += base * base;
	s->gap_test += test * test;
	s->gap_both += base * test;
	s->gaps++;
	s->noise += fmin(CAUSE_SIGNS_NOISE_MOST, fabs(test - base));
	s->noise_n++;
}

/* Of one position: how far the test moved tokens that had not been there before, and those that had. */
struct contrast {
	double sums[2];
	uint32_t n[2];
	bool moved;
};

static inline void contrast_add(struct contrast *c, bool before, double base, double test)
{
	c->sums[before] += test - base;
	c->n[before]++;
	c->moved |= test != base;
}

static void add_contrast(struct cause_signs *s, const struct contrast *c)
{
	if (c->moved && c->n[0] > 0 && c->n[1] > 0) {
		double x = c->sums[1] / (double)c->n[1] - c->sums[0] / (double)c->n[0];
		s->contrast += x;
		s->contrast_n++;
	}
}

static bool has_been(const struct cause_signs_reader *r, struct listed token, uint32_t at)
{
	return cause_memory_has(&r->seen, token, at) || is_in_request(token.bytes, r->request);
}

static void read_first(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b)
{
	struct cause_signs *s = r->signs;
	s->has_first = true;
	s->opening = at->at.a == 0;
	s->base_against = (listing_flags(&at->base) & TOKEN_NOT_TOP) != 0;
	s->test_against = (listing_flags(&at->test) & TOKEN_NOT_TOP) != 0;
	s->base_repeats = has_been(r, listing_chosen(&at->base), at->at.a);
	s->test_repeats = has_been(r, listing_chosen(&at->test), at->at.a);
	s->foreign = b && p->k >= 2 && b->tv_low >= FOREIGN_DISTANCE &&
	             position_jaccard(p) <= FOREIGN_SHARED;
}

void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret)
{
	*ret = (struct cause_signs){0};
	r->signs = ret;
	r->greedy = greedy;
	r->request = request;
	cause_memory_begin(&r->seen);
}

void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b)
{
	struct shared shared;
	shared.base_listing = &at->base;
	shared.n = 0;
	if (p->plain) {
		share_plain(p, &shared);
	} else {
		share_any(&at->base, &at->test, &shared);
	}
	uint32_t listed = MIN(at->base.to - at->base.from, (uint32_t)LISTED);
	uint32_t seen = cause_memory_which(&r->seen, &at->base, listed, at->at.a);
	struct contrast contrast = {0};
	for (size_t i = 0; i < shared.n; i++) {
		bool before = seen >> (shared.rows[i] - at->base.from) & 1;
		contrast_add(&contrast, before, shared.base[i], shared.test[i]);
	}
	add_contrast(r->signs, &contrast);
	add_gap(r->signs, &shared);
	if (at->at.equal) {
		cause_memory_add(&r->seen, listing_chosen(&at->base), at->at.a);
	} else if (r->greedy && !r->signs->has_first) {
		read_first(r, at, p, b);
	}
}

void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test)
{
	read_choices(r, base, &r->signs->base);
	read_choices(r, test, &r->signs->test);
}
