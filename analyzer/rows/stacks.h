#pragma once
/*
 * stacks - the stacks under which backends answered. A fold over stack_row: rows may come in any
 * order, and any number of times.
 */
#include "analyzer/rows/rows.h"

/* if there are more, the first ones in the order of backend and id are kept */
#define STACKS_LIMIT 1024

struct stack {
	char *backend;
	struct id id;
	char *name; /* NULL: not known */
};

struct stacks {              /* zero-initialised is empty */
	struct stack *items; /* by backend, then by id */
	size_t n;
};

/* Returns true if the stack is new. */
bool stacks_add(struct stacks *s, const struct stack_row *row);
/* The number of stacks of the backend of item i; the next backend begins at i + this. */
size_t stacks_of_backend(const struct stacks *s, size_t i);
/* NULL: not known. */
const char *stacks_name(const struct stacks *s, struct id id);
void stacks_finish(struct stacks *s);
