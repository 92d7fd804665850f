#include "answers/first_difference.h"

#include <string.h>

#include "answers/tokens/spelling.h"

static struct span all_bytes(const struct columns *c)
{
	return (struct span){c->bytes, c->n ? c->bytes_end[c->n - 1] : 0};
}

void position_walk_begin(const struct columns *a, const struct columns *b, struct position_walk *w)
{
	w->started = true;
	w->same = span_shared(all_bytes(a), all_bytes(b));
}

static bool is_empty(const struct columns *c, uint32_t token)
{
	return columns_token(c, token).len == 0;
}

static bool is_ascii(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] >= 0x80) {
			return false;
		}
	}
	return true;
}

static uint32_t empty_before(const struct columns *c, uint32_t token)
{
	uint32_t n = 0;
	while (n < token && is_empty(c, token - n - 1)) {
		n++;
	}
	return n;
}

/* Counts the tokens without bytes after this one. A single one at the end does not count: an end
 * of sequence has no bytes either. */
static uint32_t empty_after(const struct columns *c, uint32_t token)
{
	uint32_t next = token + 1;
	while (next < c->n && is_empty(c, next)) {
		next++;
	}
	uint32_t n = next - token - 1;
	return n == 1 && next == c->n ? 0 : n;
}

/* Whether the token ends within a character that the other token contains completely. */
static bool is_piece(struct span token, struct span other)
{
	return token.len < other.len && memcmp(token.data, other.data, token.len) == 0 &&
	       ((unsigned char)other.data[token.len] & 0xc0) == 0x80;
}

bool position_walk_is_same_step(
        const struct columns *a, const struct columns *b, uint32_t i, uint32_t k)
{
	struct span x = columns_token(a, i), y = columns_token(b, k);
	if (x.len == 0 || y.len == 0) {
		return x.len == y.len;
	}
	bool ascii = is_ascii(x) && is_ascii(y), differ = !span_equal(x, y);
	uint32_t after_a = empty_after(a, i), after_b = empty_after(b, k);
	if (differ && (after_a || after_b || is_piece(x, y) || is_piece(y, x) ||
	                      token_is_lossy(x) || token_is_lossy(y))) {
		return false;
	}
	return ascii || (after_a == after_b && empty_before(a, i) == empty_before(b, k));
}

static struct span words(const uint32_t *first, uint32_t n)
{
	return (struct span){(const char *)first, n * sizeof(*first)};
}

/* Returns how many of n equal tokens from i and k on the walk also takes as equal. The last one
 * with bytes may be followed by different tokens without bytes. */
static uint32_t count_aligned(
        const struct columns *a, const struct columns *b, uint32_t i, uint32_t k, uint32_t n)
{
	uint32_t last = n;
	while (last > 0 && is_empty(a, i + last - 1)) {
		last--;
	}
	if (last == 0 || is_ascii(columns_token(a, i + last - 1)) ||
	        empty_after(a, i + last - 1) == empty_after(b, k + last - 1)) {
		return n;
	}
	return last - 1;
}

uint32_t position_walk_count_equal(const struct columns *a, const struct columns *b,
        const struct position_walk *w, uint32_t limit)
{
	uint32_t i = w->next_a, k = w->next_b, n = MIN(MIN(a->n - i, b->n - k), limit);
	if (n == 0 || columns_token_from(a, i) != columns_token_from(b, k)) {
		return 0;
	}
	const uint32_t *ends = a->bytes_end + i;
	size_t at = span_shared(words(ends, n), words(b->bytes_end + k, n)) / sizeof(*ends);
	while (at > 0 && ends[at - 1] > w->same) {
		at--;
	}
	return count_aligned(a, b, i, k, (uint32_t)at);
}

void first_difference_find(
        const struct choice *a, const struct choice *b, struct first_difference *ret)
{
	struct span text_a = buf_span(&a->text), text_b = buf_span(&b->text);
	*ret = (struct first_difference){
	        .text_equal = span_equal(text_a, text_b),
	        .first_byte = span_shared(text_a, text_b),
	        .has_tokens = a->has_columns && b->has_columns && spelling_matches_whole(a) &&
	                      spelling_matches_whole(b),
	};
	struct position_walk w = {0};
	if (ret->has_tokens) {
		/* Skip the common beginning. Most answers begin with the same tokens; each is one
		 * position, as the walk would find. */
		position_walk_begin(&a->columns, &b->columns, &w);
		ret->comparable =
		        position_walk_count_equal(&a->columns, &b->columns, &w, UINT32_MAX);
		position_walk_skip(&w, ret->comparable);
	}
	while (ret->has_tokens && position_walk_next(&a->columns, &b->columns, &w)) {
		ret->comparable++;
		if (!w.equal && !ret->tokens_differ) {
			ret->tokens_differ = true;
			ret->first_token = w.a;
		}
	}
}
