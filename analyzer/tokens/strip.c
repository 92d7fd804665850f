#include "analyzer/tokens/strip.h"

#include <math.h>
#include <string.h>

#include "analyzer/tokens/plain.h"
#include "base/clones.h"

#define QUAD 4

typedef uint64_t quad __attribute__((vector_size(QUAD * sizeof(uint64_t)), aligned(8)));
typedef int64_t marks __attribute__((vector_size(QUAD * sizeof(int64_t)), aligned(8)));

/* Have all tokens LISTING_PLAIN alternatives? Without a branch, as the next: for vectors. */
CLONED bool are_fives(const uint32_t *ends, uint32_t first, uint32_t n)
{
	uint32_t apart = 0;
	for (uint32_t i = 0; i < n; i++) {
		apart |= ends[i] ^ (first + LISTING_PLAIN * (i + 1));
	}
	return apart == 0;
}

CLONED bool any_faint(const float *lps, size_t n)
{
	int32_t all = 0;
	for (size_t i = 0; i < n; i++) {
		all |= !(fabsf(lps[i]) < LISTING_FAINT);
	}
	return all != 0;
}

/* Has any of n lists the same key twice, or one that does not identify? The first four of each are held against each other,
 * turned by one and by two, and the fifth against these. */
CLONED bool any_doubtful(const uint64_t *keys, uint32_t n)
{
	marks twice = {0};
	quad bits = {0};
	for (; n > 0; n--, keys += LISTING_PLAIN) {
		const quad fifth = {keys[4], keys[4], keys[4], keys[4]};
		quad four;
		memcpy(&four, keys, sizeof(four));
		bits |= four | fifth;
		twice |= four == __builtin_shufflevector(four, four, 1, 2, 3, 0);
		twice |= four == __builtin_shufflevector(four, four, 2, 3, 0, 1);
		twice |= four == fifth;
	}
	bits = (bits & LISTING_VAGUE) | (quad)twice;
	return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

static uint32_t rows_before(const struct columns *c, uint32_t token)
{
	return token ? c->top_end[token - 1] : 0;
}

static bool is_plain(struct strip *s)
{
	const struct columns *base = s->base->columns, *test = s->test->columns;
	size_t rows = (size_t)LISTING_PLAIN * s->n;
	s->base_row = rows_before(base, s->a);
	s->test_row = rows_before(test, s->b);
	if (!are_fives(base->top_end + s->a, s->base_row, s->n) ||
	        !are_fives(test->top_end + s->b, s->test_row, s->n) ||
	        any_faint(base->top_lp + s->base_row, rows) ||
	        any_faint(test->top_lp + s->test_row, rows)) {
		return false;
	}
	return !any_doubtful(s->base->top_keys + s->base_row, s->n);
}

/* Where tokens of both sides end among their bytes, from the strip's first alternative on. */
struct ends {
	const uint32_t *base, *test;
	uint32_t base_from, test_from; /* where the first one begins */
};

/* How many of n tokens have the same lengths, four at a time. */
static uint32_t lengths_shared(const struct ends *e, uint32_t n)
{
	bool later = e->test_from >= e->base_from;
	const uint32_t *mine = later ? e->base : e->test, *other = later ? e->test : e->base;
	uint32_t by = later ? e->test_from - e->base_from : e->base_from - e->test_from, at = 0;
	uint64_t both = (uint64_t)by << 32 | by, a[2], b[2];
	for (; n - at >= 4; at += 4) {
		memcpy(a, mine + at, sizeof(a));
		memcpy(b, other + at, sizeof(b));
		if (((a[0] + both) ^ b[0]) | ((a[1] + both) ^ b[1])) {
			break;
		}
	}
	while (at < n && mine[at] + by == other[at]) {
		at++;
	}
	return at;
}

/* How many lists of n that begin there are the same on both sides, token by token. */
static uint32_t lists_shared(const struct strip *s, const struct ends *e, uint32_t n)
{
	uint32_t same = lengths_shared(e, LISTING_PLAIN * n) / LISTING_PLAIN, shared = 0;
	if (same == 0) {
		return 0;
	}
	size_t len = e->base[LISTING_PLAIN * same - 1] - e->base_from;
	size_t bytes = span_shared((struct span){s->base->columns->top_bytes + e->base_from, len},
	        (struct span){s->test->columns->top_bytes + e->test_from, len});
	if (bytes == len) {
		return same;
	}
	while (e->base[LISTING_PLAIN * (shared + 1) - 1] - e->base_from <= bytes) {
		shared++;
	}
	return shared;
}

/* The positions at which the lists are the same. */
static uint64_t same_lists(const struct strip *s)
{
	struct ends e = {
	        .base = s->base->columns->top_bytes_end + s->base_row,
	        .test = s->test->columns->top_bytes_end + s->test_row,
	};
	e.base_from = s->base_row ? e.base[-1] : 0;
	e.test_from = s->test_row ? e.test[-1] : 0;
	uint64_t same = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t n = lists_shared(s, &e, s->n - i);
		same |= n ? UINT64_MAX >> (64 - n) << i : 0;
		i += n; /* which is not the same, if there is one */
		uint32_t last = LISTING_PLAIN * (n + 1) - 1;
		if (i < s->n) {
			e.base_from = e.base[last];
			e.test_from = e.test[last];
			e.base += last + 1;
			e.test += last + 1;
		}
	}
	return same;
}

/* Of those: did both choose the first token? They chose the same bytes, so that it is enough to look at one. */
static uint64_t chose_first(const struct strip *s)
{
	const struct columns *c = s->base->columns;
	const uint64_t *keys = s->base->keys + s->a;
	const uint64_t *top = s->base->top_keys + s->base_row + LISTING_PLAIN * s->n;
	uint64_t first = 0, is_long = 0;
	for (uint32_t i = s->n; i-- > 0;) {
		top -= LISTING_PLAIN;
		first = first << 1 | (*top == keys[i]);
		is_long = is_long << 1 | ((*top & LISTING_LONG) != 0);
	}
	for (is_long &= first; is_long; is_long &= is_long - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(is_long);
		bool is = listed_long_is(columns_token(c, s->a + i),
		        columns_top_token(c, s->base_row + LISTING_PLAIN * i));
		first ^= (uint64_t)!is << i;
	}
	return first;
}

/* Of those: do ids deny nothing? */
static uint64_t ids_agree(const struct strip *s, uint64_t alike)
{
	uint64_t agree = 0;
	for (; alike; alike &= alike - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(alike);
		struct listing base = listings_at(s->base, s->a + i);
		struct listing test = listings_at(s->test, s->b + i);
		agree |= (uint64_t)plain_ids_agree(&base, &test) << i;
	}
	return agree;
}

static uint64_t find_alike(const struct strip *s)
{
	uint64_t alike = same_lists(s) & chose_first(s);
	return s->base->has_ids || s->test->has_ids ? ids_agree(s, alike) : alike;
}

/* Tokens that are equal and that both sides take in one step, at most STRIP_MOST. */
static uint32_t count_together(const struct listing_walk *w)
{
	const struct columns *base = w->base_listings.columns, *test = w->test_listings.columns;
	const uint32_t *a = base->bytes_end, *b = test->bytes_end;
	uint32_t i = w->at.next_a, k = w->at.next_b;
	/* Where tokens without bytes follow, parting looks more closely. */
	if (base->n - i > STRIP_MOST && test->n - k > STRIP_MOST &&
	        columns_token_from(base, i) == columns_token_from(test, k) &&
	        memcmp(a + i, b + k, STRIP_MOST * sizeof(*a)) == 0 &&
	        a[i + STRIP_MOST - 1] <= w->at.same && a[i + STRIP_MOST] > a[i + STRIP_MOST - 1] &&
	        b[k + STRIP_MOST] > b[k + STRIP_MOST - 1]) {
		return STRIP_MOST;
	}
	return parting_walk_together(base, test, &w->at, STRIP_MOST);
}

void strip_find(const struct listing_walk *w, struct strip *ret)
{
	*ret = (struct strip){
	        .base = &w->base_listings,
	        .test = &w->test_listings,
	        .a = w->at.next_a,
	        .b = w->at.next_b,
	        .n = count_together(w),
	};
	ret->plain = ret->n > 0 && is_plain(ret);
	ret->alike = ret->plain ? find_alike(ret) : 0;
}
