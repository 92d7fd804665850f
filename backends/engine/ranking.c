#include "backends/engine/ranking.h"

#include <stdlib.h>
#include <string.h>

static bool before(struct language_item a, struct language_item b)
{
	return a.logit > b.logit || (a.logit >= b.logit && a.id < b.id);
}

static int compare(const void *a, const void *b)
{
	const struct language_item *x = a, *y = b;
	return before(*x, *y) ? -1 : before(*y, *x) ? 1 : 0;
}

/* Insertion sort for short or nearly sorted input, such as candidates. */
static void sort(struct language_item *items, uint32_t n)
{
	if (n > 64) {
		qsort(items, n, sizeof(*items), compare);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		struct language_item item = items[i];
		uint32_t j = i;
		for (; j > 0 && before(item, items[j - 1]); j--) {
			items[j] = items[j - 1];
		}
		items[j] = item;
	}
}

void ranking_init(struct ranking *r, const struct language *l, const struct language_spread *spread,
        struct language_item *items, uint32_t n)
{
	*r = (struct ranking){
	        .language = l,
	        .spread = spread,
	        .items = items,
	        .n = n,
	        .size = vocabulary_size(),
	};
	sort(items, n);
	for (uint32_t i = 0; i < n; i++) {
		r->explicit_ids[items[i].id / 64] |= (uint64_t)1 << (items[i].id % 64);
	}
}

void ranking_of_spread(
        struct ranking *r, const struct language *l, const struct language_spread *spread)
{
	struct language_item items[LANGUAGE_CANDIDATES];
	memcpy(items, spread->items, spread->n * sizeof(*items));
	ranking_init(r, l, spread, items, spread->n);
	memcpy(r->candidates, items, spread->n * sizeof(*items));
	r->items = r->candidates;
}

static bool next_of_tail(struct ranking *r, struct language_item *ret)
{
	for (; r->tail_rank < r->size; r->tail_rank++) {
		uint32_t id = language_tail_token(r->language, r->spread, r->tail_rank);
		if (!(r->explicit_ids[id / 64] & (uint64_t)1 << (id % 64))) {
			*ret = (struct language_item){
			        id, language_tail_logit(r->language, r->spread, id)};
			return true;
		}
	}
	return false;
}

bool ranking_next(struct ranking *r, struct language_item *ret)
{
	struct language_item tail;
	bool has_tail = next_of_tail(r, &tail);
	if (r->at < r->n && (!has_tail || before(r->items[r->at], tail))) {
		*ret = r->items[r->at++];
		return true;
	}
	if (has_tail) {
		*ret = tail;
		r->tail_rank++;
	}
	return has_tail;
}

void ranking_rewind(struct ranking *r)
{
	r->at = 0;
	r->tail_rank = 0;
}
