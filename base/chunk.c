#include "base/chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/pool.h"

static size_t account_size(size_t len)
{
	return sizeof(struct chunk) + len;
}

/* Initializes a chunk. The caller has already charged the budget for it. */
static struct chunk *begin(struct chunk *c, struct budget *budget, size_t len)
{
	atomic_init(&c->refs, 1);
	c->budget = budget;
	c->accounted = budget ? account_size(len) : 0;
	c->len = len;
	return c;
}

static struct chunk *fill(struct chunk *c, const void *data, size_t len)
{
	if (len) {
		memcpy(c->data, data, len);
	}
	return c;
}

struct chunk *chunk_make(struct budget *budget, const void *data, size_t len)
{
	if (budget) {
		budget_force(budget, account_size(len));
	}
	struct chunk *c = pool_alloc(sizeof(*c) + len);
	return fill(begin(c, budget, len), data, len);
}

struct chunk *chunk_try_make(struct budget *budget, const void *data, size_t len)
{
	if (budget && !budget_take(budget, account_size(len))) {
		return NULL;
	}
	struct chunk *c = pool_alloc(sizeof(*c) + len);
	return fill(begin(c, budget, len), data, len);
}

struct chunk *chunk_join(struct budget *budget, const struct chunks *list)
{
	if (budget) {
		budget_force(budget, account_size(list->bytes));
	}
	struct chunk *c = pool_alloc(sizeof(*c) + list->bytes);
	begin(c, budget, list->bytes);
	size_t at = 0;
	for (size_t i = 0; i < list->n; i++) {
		memcpy(c->data + at, list->items[i]->data, list->items[i]->len);
		at += list->items[i]->len;
	}
	return c;
}

struct chunk *chunk_ref(struct chunk *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
	return c;
}

void chunk_unref(struct chunk *c)
{
	if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	if (c->budget) {
		budget_give(c->budget, c->accounted);
	}
	pool_free(c, sizeof(*c) + c->len);
}

struct span chunk_span(const struct chunk *c)
{
	return (struct span){c->data, c->len};
}

void chunks_push(struct chunks *list, struct chunk *c)
{
	list->items = grow(list->items, list->n, &list->cap, sizeof(*list->items));
	list->items[list->n++] = c;
	list->bytes += c->len;
}

void chunks_finish(struct chunks *list)
{
	for (size_t i = 0; i < list->n; i++) {
		chunk_unref(list->items[i]);
	}
	free(list->items);
	*list = (struct chunks){0};
}

struct chunks chunks_copy(const struct chunks *list)
{
	struct chunks copy = {0};
	for (size_t i = 0; i < list->n; i++) {
		chunks_push(&copy, chunk_ref(list->items[i]));
	}
	return copy;
}

void chunks_gather(const struct chunks *list, struct buf *to)
{
	buf_reserve(to, list->bytes);
	for (size_t i = 0; i < list->n; i++) {
		buf_append(to, list->items[i]->data, list->items[i]->len);
	}
}
