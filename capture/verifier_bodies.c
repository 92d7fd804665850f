#include "capture/verifier_bodies.h"

#include <stdlib.h>

#include "base/mem.h"

static int compare(const void *a, const void *b)
{
	const struct body *x = a, *y = b;
	int c = id_compare(x->owner, y->owner);
	return c ? c : (x->type > y->type) - (x->type < y->type);
}

void bodies_add(struct bodies *b, const struct body *item)
{
	if (b->n && compare(&b->items[b->n - 1], item) == 0) {
		b->items[b->n - 1].bytes += item->bytes;
		return;
	}
	if (b->n == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		b->items = xrealloc(b->items, b->room * sizeof(*b->items));
	}
	b->items[b->n++] = *item;
}

void bodies_sort(struct bodies *b)
{
	if (b->n == 0) {
		return;
	}
	qsort(b->items, b->n, sizeof(*b->items), compare);
	size_t kept = 1;
	for (size_t i = 1; i < b->n; i++) {
		if (compare(&b->items[kept - 1], &b->items[i]) == 0) {
			b->items[kept - 1].bytes += b->items[i].bytes;
		} else {
			b->items[kept++] = b->items[i];
		}
	}
	b->n = kept;
}

const struct body *bodies_find(const struct bodies *b, struct id owner, uint8_t type)
{
	struct body wanted = {.owner = owner, .type = type};
	return b->n ? bsearch(&wanted, b->items, b->n, sizeof(wanted), compare) : NULL;
}

void bodies_finish(struct bodies *b)
{
	free(b->items);
	*b = (struct bodies){0};
}
