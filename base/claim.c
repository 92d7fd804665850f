#include "base/claim.h"

#include "base/mem.h"

#define FIRST_ITEMS 16

bool claim_take(struct claim *c, size_t n)
{
	if (c->budget && !budget_take(c->budget, n)) {
		return false;
	}
	c->taken += n;
	return true;
}

void claim_give(struct claim *c, size_t n)
{
	expect(n <= c->taken);
	c->taken -= n;
	if (c->budget) {
		budget_give(c->budget, n);
	}
}

void claim_close(struct claim *c)
{
	claim_give(c, c->taken);
}

bool claim_item(struct claim *c, void *list, size_t n, size_t *cap, size_t size)
{
	void **items = list;
	if (n < *cap) {
		return true;
	}
	size_t more = *cap ? *cap * 2 : FIRST_ITEMS;
	expect(more <= SIZE_MAX / size);
	if (!claim_take(c, more * size)) {
		return false;
	}
	*items = xrealloc(*items, more * size);
	claim_give(c, *cap * size);
	*cap = more;
	return true;
}

bool claim_reserve(struct claim *c, struct buf *b, size_t extra)
{
	size_t had = b->cap;
	if (extra <= had - b->len) {
		return true;
	}
	size_t more = buf_grown(b, extra);
	if (!claim_take(c, more)) {
		return false;
	}
	buf_reserve(b, extra);
	claim_give(c, had);
	return true;
}
