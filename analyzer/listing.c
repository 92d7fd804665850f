#include "analyzer/listing.h"

#include <endian.h>
#include <stdlib.h>

#include "base/mem.h"

#define KEY_BYTES 7
#define COUNT_BITS 56

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

/* head: as many of the first eight bytes as there are. */
static inline uint64_t key_of(uint64_t head, uint32_t len)
{
	static const uint64_t MASKS[KEY_BYTES + 1] = {0, UINT64_C(0xff), UINT64_C(0xffff),
	        UINT64_C(0xffffff), UINT64_C(0xffffffff), UINT64_C(0xffffffffff),
	        UINT64_C(0xffffffffffff), UINT64_C(0xffffffffffffff)};
	if (len > KEY_BYTES) {
		return (le64toh(head) & MASKS[KEY_BYTES]) | LISTING_LONG;
	}
	return (le64toh(head) & MASKS[len]) | (uint64_t)len << COUNT_BITS;
}

static uint64_t *keys_of(const char *bytes, const uint32_t *ends, uint32_t n)
{
	uint64_t *keys = xmalloc(((size_t)n + 1) * sizeof(*keys)), head = 0;
	uint32_t total = n ? ends[n - 1] : 0, from = 0, i = 0;
	for (; i < n && total - from >= sizeof(head); from = ends[i++]) {
		memcpy(&head, bytes + from, sizeof(head));
		keys[i] = key_of(head, ends[i] - from);
	}
	for (; i < n; from = ends[i++]) {
		head = 0;
		memcpy(&head, bytes + from, ends[i] - from);
		keys[i] = key_of(head, ends[i] - from);
	}
	if (!has_replacement(bytes, total)) {
		return keys;
	}
	for (i = 0; i < n; i++) {
		from = i ? ends[i - 1] : 0;
		keys[i] |= has_replacement(bytes + from, ends[i] - from) ? LISTING_LOST : 0;
	}
	return keys;
}

struct listed listed_of(struct span bytes)
{
	uint64_t head = 0;
	memcpy(&head, bytes.data, MIN(bytes.len, sizeof(head)));
	uint64_t lost = has_replacement(bytes.data, bytes.len) ? LISTING_LOST : 0;
	return (struct listed){key_of(head, (uint32_t)bytes.len) | lost, bytes};
}

void listings_begin(struct listings *l, const struct columns *c)
{
	listings_begin_first(l, c, c->n);
}

void listings_begin_first(struct listings *l, const struct columns *c, uint32_t tokens)
{
	l->columns = c;
	l->keys = keys_of(c->bytes, c->bytes_end, tokens);
	l->top_keys = keys_of(c->top_bytes, c->top_bytes_end, tokens ? c->top_end[tokens - 1] : 0);
}

void listings_end(struct listings *l)
{
	free(l->keys);
	free(l->top_keys);
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

void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test)
{
	w->at = (struct parting_walk){0};
	listings_begin(&w->base_listings, base);
	listings_begin(&w->test_listings, test);
}

bool listing_walk_next(struct listing_walk *w)
{
	if (!parting_walk_next(w->base_listings.columns, w->test_listings.columns, &w->at)) {
		return false;
	}
	w->base = listings_at(&w->base_listings, w->at.a);
	w->test = listings_at(&w->test_listings, w->at.b);
	return true;
}

void listing_walk_end(struct listing_walk *w)
{
	listings_end(&w->base_listings);
	listings_end(&w->test_listings);
}
