#include "analyzer/stats/name_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/k_smallest.h"
#include "base/mem.h"

static int compare(const void *a, const void *b)
{
	const struct name_count *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void drop(void *item, void *arg)
{
	(void)arg;
	free(((struct name_count *)item)->name);
}

static const struct k_smallest NAMES = {
        sizeof(struct name_count), NAME_COUNTS_LIMIT, compare, drop};

void name_counts_add(struct name_counts *c, const char *name, uint64_t n)
{
	const struct name_count like = {.name = (char *)(uintptr_t)name};
	bool is_new;
	struct name_count *item = k_smallest_place(&NAMES, &c->items, &c->n, &like, NULL, &is_new);
	if (is_new) {
		item->name = xstrdup(name);
	}
	if (item) {
		item->n += n;
	}
	c->total += n;
}

const struct name_count *name_counts_most(const struct name_counts *c)
{
	const struct name_count *most = NULL;
	for (size_t i = 0; i < c->n; i++) {
		most = !most || c->items[i].n > most->n ? &c->items[i] : most;
	}
	return most;
}

void name_counts_finish(struct name_counts *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].name);
	}
	free(c->items);
	*c = (struct name_counts){0};
}
