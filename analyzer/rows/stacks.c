#include "analyzer/rows/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/k_smallest.h"
#include "base/mem.h"

static int compare(const void *a, const void *b)
{
	const struct stack *x = a, *y = b;
	int order = strcmp(x->backend, y->backend);
	return order ? order : id_compare(x->id, y->id);
}

static void finish_stack(struct stack *s)
{
	free(s->backend);
	free(s->name);
}

static void drop(void *item, void *arg)
{
	(void)arg;
	finish_stack(item);
}

static const struct k_smallest STACKS = {sizeof(struct stack), STACKS_LIMIT, compare, drop};

bool stacks_add(struct stacks *s, const struct stack_row *row)
{
	const struct stack like = {.backend = (char *)(uintptr_t)row->backend, .id = row->stack};
	bool is_new;
	struct stack *stack = k_smallest_place(&STACKS, &s->items, &s->n, &like, NULL, &is_new);
	if (is_new) {
		stack->backend = xstrdup(row->backend);
	}
	if (stack && row->name && !stack->name) {
		stack->name = xstrdup(row->name);
	}
	return is_new;
}

size_t stacks_of_backend(const struct stacks *s, size_t i)
{
	size_t n = 1;
	while (i + n < s->n && strcmp(s->items[i + n].backend, s->items[i].backend) == 0) {
		n++;
	}
	return n;
}

const char *stacks_name(const struct stacks *s, struct id id)
{
	for (size_t i = 0; i < s->n; i++) {
		if (id_compare(s->items[i].id, id) == 0 && s->items[i].name) {
			return s->items[i].name;
		}
	}
	return NULL;
}

void stacks_finish(struct stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		finish_stack(&s->items[i]);
	}
	free(s->items);
	*s = (struct stacks){0};
}
