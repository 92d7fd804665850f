#include "analyzer/tokens/plain.h"

#include <string.h>

_Static_assert(LISTING_PLAIN == 5, "functions below name each token");

static inline const uint64_t *keys_of(const struct listing *l)
{
	return l->of->top_keys + l->from;
}

static inline const int32_t *ids_of(const struct listing *l)
{
	return l->of->columns->top_ids + l->from;
}

static inline bool ids_agree(int32_t a, int32_t b)
{
	return a == b || a < 0 || b < 0;
}

static inline bool is_told(const struct listing *l, float below)
{
	const float *lps = l->of->columns->top_lp + l->from;
	return l->to - l->from == LISTING_PLAIN && fabsf(lps[0]) < below && fabsf(lps[1]) < below &&
	       fabsf(lps[2]) < below && fabsf(lps[3]) < below && fabsf(lps[4]) < below;
}

static inline bool any_long(const uint64_t *k)
{
	return ((k[0] | k[1] | k[2] | k[3] | k[4]) & LISTING_LONG) != 0;
}

/* Tokens that identify, each once. */
static inline bool are_unlike(const uint64_t *k)
{
	uint64_t a = k[0], b = k[1], c = k[2], d = k[3], e = k[4];
	bool twice = (a == b) | (a == c) | (a == d) | (a == e) | (b == c) | (b == d) | (b == e) |
	             (c == d) | (c == e) | (d == e);
	return !twice && !((a | b | c | d | e) & LISTING_VAGUE);
}

static bool ids_of_lists_agree(const struct listing *a, const struct listing *b)
{
	bool agree = true;
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		agree &= ids_agree(ids_of(a)[i], ids_of(b)[i]);
	}
	return agree;
}

/* Of lists with the same keys. */
static inline bool long_ones_agree(const struct listing *a, const struct listing *b)
{
	const uint64_t *keys = keys_of(a);
	for (uint32_t i = 0; i < LISTING_PLAIN; i++) {
		if ((keys[i] & LISTING_LONG) &&
		        !listed_long_is(columns_top_token(a->of->columns, a->from + i),
		                columns_top_token(b->of->columns, b->from + i))) {
			return false;
		}
	}
	return true;
}

/* The same tokens in the same order, as they are at most positions. */
static inline bool are_alike(const struct listing *a, const struct listing *b, bool has_ids)
{
	const uint64_t *k = keys_of(a), *o = keys_of(b);
	if ((k[0] ^ o[0]) | (k[1] ^ o[1]) | (k[2] ^ o[2]) | (k[3] ^ o[3]) | (k[4] ^ o[4])) {
		return false;
	}
	return (!has_ids || ids_of_lists_agree(a, b)) && (!any_long(k) || long_ones_agree(a, b));
}

/* The row of a key in a plain list, which has it once at most; LISTING_PLAIN if it has none. Without a branch, which
 * nobody could guess. */
static inline size_t row_of(const uint64_t *keys, uint64_t key)
{
	size_t at = LISTING_PLAIN;
	at = keys[0] == key ? 0 : at;
	at = keys[1] == key ? 1 : at;
	at = keys[2] == key ? 2 : at;
	at = keys[3] == key ? 3 : at;
	return keys[4] == key ? 4 : at;
}

/* Of a row and a token with the same key: is it the token, where the key is not all of it? */
static inline bool is_whole(const struct listing *l, size_t at, uint64_t key, struct span bytes)
{
	return !(key & LISTING_LONG) ||
	       listed_long_is(columns_top_token(l->of->columns, l->from + (uint32_t)at), bytes);
}

static inline bool find_chosen(const struct listing *l, bool has_ids, size_t *ret)
{
	uint64_t key = l->of->keys[l->token];
	*ret = 0;
	if (key == *keys_of(l) && !(key & LISTING_LONG) && !has_ids) {
		return true; /* the first, and nothing denies it */
	}
	*ret = row_of(keys_of(l), key);
	return *ret < LISTING_PLAIN &&
	       (!has_ids || ids_agree(l->of->columns->ids[l->token], ids_of(l)[*ret])) &&
	       is_whole(l, *ret, key, columns_token(l->of->columns, l->token));
}

/* Where keys are all there is to the test's tokens. */
static void match_keys(const uint64_t *base, const uint64_t *test, struct plain *ret)
{
	uint8_t n = LISTING_PLAIN;
	for (size_t i = 0; i < LISTING_PLAIN; i++) {
		size_t at = base[i] == test[i] ? i : row_of(base, test[i]);
		bool alone = at == LISTING_PLAIN;
		ret->places[i] = alone ? n : (uint8_t)at;
		n += alone;
	}
	ret->n = n;
}

/* Do the bytes or ids of a token deny that it is the one whose key it has? */
static inline bool denies(
        const struct listing *base, const struct listing *test, uint32_t i, size_t at, bool has_ids)
{
	uint64_t key = keys_of(test)[i];
	return (has_ids && !ids_agree(ids_of(test)[i], ids_of(base)[at])) ||
	       ((key & LISTING_LONG) &&
	               !is_whole(base, at, key,
	                       columns_top_token(test->of->columns, test->from + i)));
}

static bool match_rows(
        const struct listing *base, const struct listing *test, bool has_ids, struct plain *ret)
{
	match_keys(keys_of(base), keys_of(test), ret);
	if (!has_ids && !any_long(keys_of(test))) {
		return true;
	}
	for (uint32_t i = 0; i < LISTING_PLAIN; i++) {
		size_t at = ret->places[i];
		if (at < LISTING_PLAIN && denies(base, test, i, at, has_ids)) {
			return false;
		}
	}
	return true;
}

bool plain_match_told(const struct listing *base, const struct listing *test, struct plain *ret)
{
	bool has_ids = base->of->has_ids || test->of->has_ids;
	size_t mine, other;
	if (!find_chosen(base, has_ids, &mine) || !find_chosen(test, has_ids, &other)) {
		return false;
	}
	ret->alike = are_alike(base, test, has_ids);
	if (ret->alike) {
		static const uint8_t IN_ORDER[LISTING_PLAIN] = {0, 1, 2, 3, 4};
		ret->n = LISTING_PLAIN;
		memcpy(ret->places, IN_ORDER, sizeof(IN_ORDER));
	} else if (!are_unlike(keys_of(test)) || !match_rows(base, test, has_ids, ret)) {
		return false;
	}
	ret->chosen_base = (uint8_t)mine;
	ret->chosen_test = ret->places[other];
	return true;
}

bool plain_match(
        const struct listing *base, const struct listing *test, float below, struct plain *ret)
{
	return is_told(base, below) && is_told(test, below) && are_unlike(keys_of(base)) &&
	       plain_match_told(base, test, ret);
}

static inline bool chose_first(const struct listing *l)
{
	return ids_agree(l->of->columns->ids[l->token], *ids_of(l));
}

bool plain_ids_agree(const struct listing *base, const struct listing *test)
{
	return ids_of_lists_agree(base, test) && chose_first(base) && chose_first(test);
}

size_t plain_best(const struct listing *l)
{
	const float *lps = l->of->columns->top_lp + l->from;
	size_t best = 0;
	if (listing_begins_with_best(lps)) {
		return 0; /* as engines write them */
	}
	for (size_t i = 1; i < LISTING_PLAIN; i++) {
		best = lps[i] > lps[best] ? i : best;
	}
	return best;
}
