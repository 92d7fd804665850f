#include "base/tab.h"

#include <stdlib.h>

#include "base/mem.h"

#define FIRST_ITEMS 16
#define FIRST_BYTES 256

bool tab_take(struct tab *t, size_t n)
{
	if (t->budget && !budget_take(t->budget, n)) {
		return false;
	}
	t->taken += n;
	return true;
}

void tab_give(struct tab *t, size_t n)
{
	expect(n <= t->taken);
	t->taken -= n;
	if (t->budget) {
		budget_give(t->budget, n);
	}
}

void tab_close(struct tab *t)
{
	tab_give(t, t->taken);
}

void *tab_grow(struct tab *t, void *items, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : FIRST_ITEMS;
	expect(more <= SIZE_MAX / size);
	if (!tab_take(t, more * size)) {
		return NULL;
	}
	bool small = more * size <= MEM_SMALL;
	void *moved = small ? xrealloc(items, more * size) : realloc(items, more * size);
	tab_give(t, moved ? *cap * size : more * size);
	*cap = moved ? more : *cap;
	return moved;
}

bool tab_reserve(struct tab *t, struct buf *b, size_t extra)
{
	size_t had = b->cap;
	if (extra <= had - b->len) {
		return true;
	}
	/* As much as buf_reserve() will make of it. */
	size_t more = MAX(MAX(had * 2, (size_t)FIRST_BYTES), b->len + extra);
	if (!tab_take(t, more)) {
		return false;
	}
	bool grown = buf_try_reserve(b, extra);
	expect(!grown || b->cap == more);
	tab_give(t, grown ? had : more);
	return grown;
}
