#include "analyzer/listing.h"

#include <endian.h>
#include <math.h>

#include "base/check.h"

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

static void note_lost(struct listed *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		items[i].identifies &= !has_replacement(items[i].bytes, items[i].len);
	}
}

void listings_begin(struct listings *l, const struct columns *c)
{
	uint32_t rows = c->n ? c->top_end[c->n - 1] : 0;
	l->columns = c;
	l->bytes = c->n ? c->bytes_end[c->n - 1] : 0;
	l->top_bytes = rows ? c->top_bytes_end[rows - 1] : 0;
	l->lossy = has_replacement(c->bytes, l->bytes);
	l->top_lossy = has_replacement(c->top_bytes, l->top_bytes);
}

/* Of len bytes, behind which `left` less len more can be read. */
static inline uint64_t head_of(const char *bytes, uint32_t len, size_t left)
{
	static const uint64_t MASKS[] = {0, UINT64_C(0xff), UINT64_C(0xffff), UINT64_C(0xffffff),
	        UINT64_C(0xffffffff), UINT64_C(0xffffffffff), UINT64_C(0xffffffffffff),
	        UINT64_C(0xffffffffffffff), UINT64_C(0xffffffffffffffff)};
	uint64_t head = 0;
	if (left >= sizeof(head)) {
		memcpy(&head, bytes, sizeof(head));
	} else {
		memcpy(&head, bytes, left);
	}
	return le64toh(head) & MASKS[MIN(len, (uint32_t)sizeof(head))];
}

/* The tokens of a position's alternatives from row to row; returns how many have a logprob. */
static uint32_t read_rows(
        const struct listings *l, uint32_t row, uint32_t to, struct listed *restrict items)
{
	const struct columns *c = l->columns;
	const char *bytes = c->top_bytes;
	size_t total = l->top_bytes;
	uint32_t from = row ? c->top_bytes_end[row - 1] : 0, n = 0;
	for (; row < to && n < READING_TOP_LIMIT; row++) {
		uint32_t end = c->top_bytes_end[row];
		struct listed *item = &items[n];
		item->bytes = bytes + from;
		item->len = end - from;
		item->head = head_of(bytes + from, end - from, total - from);
		item->id = c->top_ids[row];
		item->lp = c->top_lp[row];
		item->identifies = end > from;
		n += isfinite(item->lp) != 0;
		from = end;
	}
	return n;
}

void listings_read(const struct listings *l, uint32_t token, struct listing *ret)
{
	const struct columns *c = l->columns;
	uint32_t from = token ? c->bytes_end[token - 1] : 0, end = c->bytes_end[token];
	ret->n = read_rows(l, token ? c->top_end[token - 1] : 0, c->top_end[token], ret->items);
	ret->chosen = (struct listed){
	        .head = head_of(c->bytes + from, end - from, l->bytes - from),
	        .bytes = c->bytes + from,
	        .len = end - from,
	        .id = c->ids[token],
	        .lp = c->lp[token],
	        .identifies = end > from,
	};
	ret->missing = (c->flags[token] & TOKEN_MISSING) != 0;
	if (l->lossy) {
		note_lost(&ret->chosen, 1);
	}
	if (l->top_lossy) {
		note_lost(ret->items, ret->n);
	}
}

void listing_of(const struct columns *c, uint32_t token, struct listing *ret)
{
	struct listings l;
	listings_begin(&l, c);
	listings_read(&l, token, ret);
}

float listing_logprob(const struct listing *l, const struct listed *token)
{
	for (size_t i = 0; i < l->n; i++) {
		if (listed_is(&l->items[i], token)) {
			return l->items[i].lp;
		}
	}
	return listed_is(&l->chosen, token) && isfinite(l->chosen.lp) ? l->chosen.lp : NAN;
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
	listings_read(&w->base_listings, w->at.a, &w->base);
	listings_read(&w->test_listings, w->at.b, &w->test);
	return true;
}
