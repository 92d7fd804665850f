#include "analyzer/tokens/listing.h"

#include <stdlib.h>

#include "base/clones.h"
#include "base/eight.h"
#include "base/mem.h"

#define KEY_BYTES 7
#define KEYS_AT_ONCE 4
#define COUNT(n) (UINT64_C(n) << 56)

static bool has_replacement(const char *data, size_t len)
{
	/* Few tokens have the first byte, and memmem() is slow. */
	const char *end = data + len;
	for (const char *p = data; len > 0 && (p = memchr(p, 0xef, (size_t)(end - p))); p++) {
		if (end - p >= 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0) {
			return true;
		}
	}
	return false;
}

/* What the key of a token of 0, 1, 2... bytes is made of: bits of its first eight, and others. */
static const uint64_t MASKS[] = {0, UINT64_C(0xff), UINT64_C(0xffff), UINT64_C(0xffffff),
        UINT64_C(0xffffffff), UINT64_C(0xffffffffff), UINT64_C(0xffffffffffff),
        UINT64_C(0xffffffffffffff), UINT64_C(0xffffffffffffff)};
static const uint64_t MARKS[] = {LISTING_VAGUE, COUNT(1), COUNT(2), COUNT(3), COUNT(4), COUNT(5),
        COUNT(6), COUNT(7), LISTING_LONG};

/* head: as many of the first eight bytes as there are, the first one lowest. */
static inline uint64_t key_of(uint64_t head, uint32_t len)
{
	uint32_t form = MIN(len, (uint32_t)KEY_BYTES + 1);
	return (head & MASKS[form]) | MARKS[form];
}

/* Places in MASKS and MARKS, of tokens that end there; ends[-1] is the first one's beginning. For vectors. */
CLONED void find_forms(const uint32_t *restrict ends, uint64_t *restrict forms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t len = ends[i] - ends[i - 1];
		forms[i] = MIN(len, (uint32_t)KEY_BYTES + 1);
	}
}

/* Made of what stands there, which is a place in MASKS. Eight bytes can be read. */
static inline void make_key(uint64_t *key, const char *bytes)
{
	*key = (eight_load(bytes, 8) & MASKS[*key]) | MARKS[*key];
}

/* The same as key_of() of n tokens, behind which eight bytes can be read. */
static void make_keys(const char *bytes, const uint32_t *ends, uint64_t *ret, uint32_t n)
{
	uint32_t i = 0;
	find_forms(ends, ret, n);
	for (; n - i >= KEYS_AT_ONCE; i += KEYS_AT_ONCE) {
		for (uint32_t k = i; k < i + KEYS_AT_ONCE; k++) {
			make_key(&ret[k], bytes + ends[(ptrdiff_t)k - 1]);
		}
	}
	for (; i < n; i++) {
		make_key(&ret[i], bytes + ends[(ptrdiff_t)i - 1]);
	}
}

static void make_all_keys(const char *bytes, const uint32_t *ends, uint32_t n, uint64_t *keys)
{
	uint32_t total = n ? ends[n - 1] : 0, whole = n, i = 0;
	while (whole > 0 && total - (whole > 1 ? ends[whole - 2] : 0) < 8) {
		whole--;
	}
	if (whole > 0) {
		keys[0] = key_of(eight_load(bytes, 8), ends[0]);
		make_keys(bytes, ends + 1, keys + 1, whole - 1);
		i = whole;
	}
	for (; i < n; i++) {
		uint32_t from = i ? ends[i - 1] : 0;
		keys[i] = key_of(eight_load(bytes + from, ends[i] - from), ends[i] - from);
	}
	if (!has_replacement(bytes, total)) {
		return;
	}
	for (i = 0; i < n; i++) {
		uint32_t from = i ? ends[i - 1] : 0;
		keys[i] |= has_replacement(bytes + from, ends[i] - from) ? LISTING_VAGUE : 0;
	}
}

uint64_t *listing_keys(const char *bytes, const uint32_t *ends, uint32_t n)
{
	uint64_t *keys = xmalloc(((size_t)n + 1) * sizeof(*keys));
	make_all_keys(bytes, ends, n, keys);
	return keys;
}

/* Without a branch: the compiler makes a vector of it. */
CLONED bool any_id(const int32_t *ids, size_t n)
{
	int32_t all = -1;
	for (size_t i = 0; i < n; i++) {
		all &= ids[i];
	}
	return all >= 0;
}

/* Have all a list, and was none lost? ret: the flags of all. Without a branch, for vectors. */
CLONED bool are_told(const uint32_t *ends, const uint8_t *flags, uint32_t n, uint8_t *ret)
{
	uint8_t all = 0;
	uint32_t empty = n > 0 && ends[0] == 0;
	for (uint32_t i = 0; i < n; i++) {
		all |= flags[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		empty |= ends[i] == ends[i - 1] ? 1U : 0;
	}
	*ret = all;
	return !empty && !(all & TOKEN_MISSING);
}

uint8_t listing_flags_told(const struct columns *c, uint32_t *ret_told)
{
	uint8_t all;
	*ret_told = c->n;
	if (are_told(c->top_end, c->flags, c->n, &all)) {
		return all;
	}
	*ret_told = all = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (listing_is_told(c, i)) {
			(*ret_told)++;
			all |= c->flags[i];
		}
	}
	return all;
}

uint64_t listing_row_key(const struct columns *c, uint32_t row)
{
	struct span token = columns_top_token(c, row);
	uint32_t total = c->top_bytes_end[c->top_end[c->n - 1] - 1];
	bool whole = c->top_bytes + total - token.data >= 8;
	return key_of(eight_load(token.data, whole ? 8 : token.len), (uint32_t)token.len);
}

/* Is a token the one whose key it is, does it identify, and is the key all of it? Eight bytes can be read. */
static inline bool is_short(const char *bytes, uint32_t len, uint64_t key)
{
	return len - 1 < KEY_BYTES && ((eight_load(bytes, 8) & MASKS[len]) | MARKS[len]) == key;
}

uint32_t listing_chose_best(const struct columns *c, const uint64_t *keys, uint32_t token)
{
	uint32_t row = token ? c->top_end[token - 1] : 0, rows = c->top_end[c->n - 1];
	uint32_t from = row ? c->top_bytes_end[row - 1] : 0, i = token;
	uint32_t total = rows ? c->top_bytes_end[rows - 1] : 0;
	while (i < c->n && c->top_end[i] - row == LISTING_PLAIN && total - from >= 8 &&
	        !(c->flags[i] & (TOKEN_MISSING | TOKEN_NOT_TOP)) &&
	        listing_begins_with_best(c->top_lp + row) &&
	        is_short(c->top_bytes + from, c->top_bytes_end[row] - from, keys[i])) {
		row += LISTING_PLAIN;
		from = c->top_bytes_end[row - 1];
		i++;
	}
	return i - token;
}

/* Of a key or several together: some of the bytes may have been lost. Nearly all are plain ASCII, as far as keys tell. */
static inline bool may_be_lost(uint64_t keys)
{
	return keys & (LISTING_LONG | EIGHT_BITS >> 8);
}

struct listed listed_of(struct span bytes)
{
	uint64_t head = eight_load(bytes.data, bytes.len);
	uint64_t key = key_of(head, (uint32_t)bytes.len);
	bool lost = may_be_lost(key) && has_replacement(bytes.data, bytes.len);
	return (struct listed){key | (lost ? LISTING_VAGUE : 0), bytes};
}

void listings_begin(struct listings *l, const struct columns *c)
{
	listings_begin_first(l, c, c->n);
}

/* Bytes of the keys of so many tokens and of their alternatives. */
static size_t keys_size(const struct columns *c, uint32_t tokens)
{
	return ((size_t)tokens + (tokens ? c->top_end[tokens - 1] : 0) + 1) * sizeof(uint64_t);
}

/* Their number of alternatives is returned. keys: of keys_size(). */
static uint32_t begin(struct listings *l, const struct columns *c, uint32_t tokens, uint64_t *keys)
{
	uint32_t rows = tokens ? c->top_end[tokens - 1] : 0;
	l->columns = c;
	l->keys = keys;
	l->top_keys = l->keys + tokens;
	l->has_ids = any_id(c->ids, tokens) || any_id(c->top_ids, rows);
	return rows;
}

static void begin_first(
        struct listings *l, const struct columns *c, uint32_t tokens, uint64_t *keys)
{
	uint32_t rows = begin(l, c, tokens, keys);
	make_all_keys(c->bytes, c->bytes_end, tokens, l->keys);
	make_all_keys(c->top_bytes, c->top_bytes_end, rows, l->top_keys);
	l->late = false;
}

void listings_begin_first(struct listings *l, const struct columns *c, uint32_t tokens)
{
	begin_first(l, c, tokens, xmalloc(keys_size(c, tokens)));
}

/* The key of what stands in [from, to) of so many bytes. */
static uint64_t key_within(const char *bytes, uint32_t total, uint32_t from, uint32_t to)
{
	uint32_t len = to - from;
	bool whole = total - from >= 8;
	uint64_t key = key_of(eight_load(bytes + from, whole ? 8 : len), len);
	bool lost = may_be_lost(key) && has_replacement(bytes + from, len);
	return key | (lost ? LISTING_VAGUE : 0);
}

/* Of n tokens that end there, of which the first begins at from. */
static void make_any_keys(const char *bytes, uint32_t total, uint32_t from, const uint32_t *ends,
        uint64_t *ret, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		ret[i] = key_within(bytes, total, from, ends[i]);
		from = ends[i];
	}
}

/* The same of tokens behind which eight bytes can be read, unless some of theirs may be lost: false. */
static bool make_usual_keys(
        const char *bytes, uint32_t from, const uint32_t *ends, uint64_t *ret, uint32_t n)
{
	uint32_t first = from;
	uint64_t all = 0;
	for (uint32_t i = 0; i < n; i++) {
		ret[i] = key_of(eight_load(bytes + from, 8), ends[i] - from);
		all |= ret[i];
		from = ends[i];
	}
	return !may_be_lost(all) || !has_replacement(bytes + first, from - first);
}

void listings_make_known(const struct listings *l, uint32_t token, uint64_t key)
{
	const struct columns *c = l->columns;
	uint32_t row = token ? c->top_end[token - 1] : 0, n = c->top_end[token] - row;
	const uint32_t *ends = c->top_bytes_end + row;
	l->keys[token] = key;
	if (n == 0) {
		return;
	}
	uint32_t total = c->top_bytes_end[c->top_end[c->n - 1] - 1], from = row ? ends[-1] : 0;
	if (total - ends[n - 1] < 8 ||
	        !make_usual_keys(c->top_bytes, from, ends, l->top_keys + row, n)) {
		make_any_keys(c->top_bytes, total, from, ends, l->top_keys + row, n);
	}
}

void listings_make(const struct listings *l, uint32_t token)
{
	const struct columns *c = l->columns;
	listings_make_known(l, token,
	        key_within(c->bytes, c->bytes_end[c->n - 1], columns_token_from(c, token),
	                c->bytes_end[token]));
}

void listings_end(struct listings *l)
{
	free(l->keys);
}

float listing_logprob(const struct listing *l, struct listed token)
{
	for (uint32_t row = l->from; row < l->to; row++) {
		if (isfinite(listing_lp(l, row)) && listed_is(listing_row(l, row), token)) {
			return listing_lp(l, row);
		}
	}
	float lp = listing_chosen_lp(l);
	return listed_is(listing_chosen(l), token) && isfinite(lp) ? lp : NAN;
}

/* The row of the most probable alternative that is told; l->to: there is none. */
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
	uint32_t best = best_told(other);
	for (uint32_t row = l->from; row < l->to && best < other->to; row++) {
		if (!isfinite(listing_lp(l, row)) &&
		        listed_is(listing_row(l, row), listing_row(other, best))) {
			return true;
		}
	}
	return false;
}

bool listing_tops_are_told(const struct listing *base, const struct listing *test)
{
	return !names_untold(test, base) && !names_untold(base, test);
}

/* Tokens that begin within the bytes. */
static uint32_t tokens_within(const struct columns *c, size_t bytes)
{
	uint32_t low = 0, high = c->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (middle > 0 && c->bytes_end[middle - 1] > bytes) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}

#define KEPT_MOST ((size_t)1 << 20) /* bytes, from pair to pair */

void listing_walk_begin_in(struct listing_walk *w, const struct columns *base,
        const struct columns *test, struct arena *keys)
{
	w->at = (struct parting_walk){0};
	parting_walk_begin(base, test, &w->at);
	uint32_t of_base = tokens_within(base, w->at.same),
	         of_test = tokens_within(test, w->at.same);
	size_t base_size = keys_size(base, of_base), test_size = keys_size(test, of_test);
	w->own = (struct arena){0};
	w->keys = keys ? keys : &w->own;
	arena_begin(w->keys, MIN(base_size + test_size, KEPT_MOST));
	begin_first(&w->base_listings, base, of_base, arena_take(w->keys, base_size));
	begin(&w->test_listings, test, of_test, arena_take(w->keys, test_size));
	w->test_listings.late = true;
}

void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test)
{
	listing_walk_begin_in(w, base, test, NULL);
}

void listing_walk_end(struct listing_walk *w)
{
	arena_clear(w->keys);
	arena_finish(&w->own);
}
