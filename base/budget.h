#pragma once
/*
 * budget - one process-wide limit on the bytes that traffic makes us hold.
 *
 * Relay windows come first: they are always granted and only counted. Copies and records take what
 * is left below the limit; a refusal is an answer the caller must act on (drop the copy, cut the
 * record). Any thread; lock-free.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"

struct budget {
	atomic_size_t used;
	size_t limit; /* set once, before use */
};

void budget_init(struct budget *b, size_t limit);
void budget_force(struct budget *b, size_t n);           /* relay: counted, never refused */
bool budget_take(struct budget *b, size_t n) MUST_CHECK; /* copies and records */
void budget_give(struct budget *b, size_t n);
size_t budget_used(const struct budget *b);
