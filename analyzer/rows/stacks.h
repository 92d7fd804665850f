#pragma once
/*
 * stacks - the stacks under which backends answered. A fold over stack_row: rows may come in any
 * order, and any number of times.
 */
#include "analyzer/rows/rows.h"

/* the most stacks; if there are more, the first ones in the order of backend and id are kept */
#define STACKS_LIMIT 1024

struct stack {
	char *backend;
	struct id id;
	char *name; /* NULL: unknown */
};

struct stacks {              /* zero-initialised: empty */
	struct stack *items; /* ordered by backend, then by id */
	size_t n;
};

/* Returns true if the stack was new and is kept. */
bool stacks_add(struct stacks *s, const struct stack_row *row);
/* The number of consecutive items from i on with the backend of item i. */
size_t stacks_of_backend(const struct stacks *s, size_t i);
/* The name of the stack with this id; NULL: unknown. */
const char *stacks_name(const struct stacks *s, struct id id);
void stacks_finish(struct stacks *s);
