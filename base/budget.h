#pragma once
/*
 * budget - one process-wide limit on the bytes that traffic makes us hold.
 *
 * Relay windows come first: they are always granted and only counted. Copies and records take what
 * is left below the limit, and nothing while memory is short (base/reserve.h); a refusal is an answer the caller must act
 * on (drop the copy, cut the record). Any thread; lock-free.
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
/*
 * What may wait for the slower side of a relay: all of `window` while nothing is used, less in proportion as the limit comes nearer, and not a byte
 * beyond what one read brings at the limit or while memory is short. Copies and records leave an eighth of the limit to it.
 */
size_t budget_window(const struct budget *b, size_t window);
void budget_give(struct budget *b, size_t n);
size_t budget_used(const struct budget *b);
