#pragma once
/*
 * stacks - the stacks under which backends gave answers. A fold over stack_row: rows may come in any order,
 * and any number of times.
 */
#include "analyzer/rows/rows.h"

#define STACKS_LIMIT 1024 /* the first by name and id */

struct stack {
	char *backend;
	struct id id;
	char *name; /* NULL: not known */
};

struct stacks {              /* zero-initialised is empty */
	struct stack *items; /* by backend, then by id */
	size_t n;
};

/* True: it was not known yet. */
bool stacks_add(struct stacks *s, const struct stack_row *row);
/* How many stacks the backend of number i had; the next backend's is number i + this. */
size_t stacks_of_backend(const struct stacks *s, size_t i);
/* NULL: not known. */
const char *stacks_name(const struct stacks *s, struct id id);
void stacks_finish(struct stacks *s);
