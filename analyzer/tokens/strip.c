#include "analyzer/tokens/strip.h"

#include "analyzer/tokens/plain.h"
#include "base/clones.h"

#define QUAD 4

typedef uint64_t quad __attribute__((vector_size(QUAD * sizeof(uint64_t)), aligned(8)));
typedef int64_t marks __attribute__((vector_size(QUAD * sizeof(int64_t)), aligned(8)));

/* Have all tokens LISTING_PLAIN alternatives? Without a branch, as the next two: for vectors. */
CLONED bool are_fives(const uint32_t *ends, uint32_t first, uint32_t n)
{
	uint32_t apart = 0;
	for (uint32_t i = 0; i < n; i++) {
		apart |= ends[i] ^ (first + LISTING_PLAIN * (i + 1));
	}
	return apart == 0;
}

CLONED bool any_faint(const uint8_t *faint, size_t n)
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++) {
		all |= faint[i];
	}
	return all != 0;
}

CLONED uint64_t all_bits(const uint64_t *keys, size_t n)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++) {
		all |= keys[i];
	}
	return all;
}

/* Has any of n lists the same key twice? The first four of each are held against each other, turned by one
 * and by two, and the fifth against these. */
CLONED bool any_twice(const uint64_t *keys, uint32_t n)
{
	marks twice = {0};
	for (; n > 0; n--, keys += LISTING_PLAIN) {
		const quad fifth = {keys[4], keys[4], keys[4], keys[4]};
		quad four;
		memcpy(&four, keys, sizeof(four));
		twice |= four == __builtin_shufflevector(four, four, 1, 2, 3, 0);
		twice |= four == __builtin_shufflevector(four, four, 2, 3, 0, 1);
		twice |= four == fifth;
	}
	return (twice[0] | twice[1] | twice[2] | twice[3]) != 0;
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
	        any_faint(s->base->faint + s->base_row, rows) ||
	        any_faint(s->test->faint + s->test_row, rows)) {
		return false;
	}
	uint64_t bits = all_bits(strip_keys(s, 0), rows);
	s->doubt = s->base->has_ids || s->test->has_ids ? UINT64_MAX : LISTING_LONG;
	return !(bits & LISTING_VAGUE) && !any_twice(strip_keys(s, 0), s->n);
}

void strip_find(const struct listing_walk *w, struct strip *ret)
{
	*ret = (struct strip){
	        .base = &w->base_listings,
	        .test = &w->test_listings,
	        .a = w->at.next_a,
	        .b = w->at.next_b,
	        .n = parting_walk_together(
	                w->base_listings.columns, w->test_listings.columns, &w->at, STRIP_MOST),
	};
	ret->plain = ret->n > 0 && is_plain(ret);
}

/* Have the lists that begin in these rows the same bytes, token by token? */
static bool have_same_bytes(
        const struct columns *a, uint32_t a_row, const struct columns *b, uint32_t b_row)
{
	const uint32_t *a_ends = a->top_bytes_end + a_row, *b_ends = b->top_bytes_end + b_row;
	uint32_t a_from = a_row ? a_ends[-1] : 0, b_from = b_row ? b_ends[-1] : 0, apart = 0;
	for (uint32_t i = 0; i < LISTING_PLAIN; i++) {
		apart |= (a_ends[i] - a_from) ^ (b_ends[i] - b_from);
	}
	return apart == 0 && memcmp(a->top_bytes + a_from, b->top_bytes + b_from,
	                             a_ends[LISTING_PLAIN - 1] - a_from) == 0;
}

static bool ids_agree(const struct strip *s, uint32_t i)
{
	struct listing base = listings_at(s->base, s->a + i);
	struct listing test = listings_at(s->test, s->b + i);
	return plain_ids_agree(&base, &test);
}

bool strip_confirms(const struct strip *s, uint32_t i)
{
	const struct columns *base = s->base->columns, *test = s->test->columns;
	uint32_t row = s->base_row + LISTING_PLAIN * i, other = s->test_row + LISTING_PLAIN * i;
	if (!have_same_bytes(base, row, test, other)) {
		return false;
	}
	/* Both chose the same bytes, so that it is enough to look at one. */
	bool is_long = (s->base->top_keys[row] & LISTING_LONG) != 0;
	if (is_long && !span_equal(columns_token(base, s->a + i), columns_top_token(base, row))) {
		return false;
	}
	return s->doubt == LISTING_LONG || ids_agree(s, i);
}
