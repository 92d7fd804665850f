#include "base/budget.h"

void budget_init(struct budget *b, size_t limit)
{
	atomic_init(&b->used, 0);
	b->limit = limit;
}

void budget_force(struct budget *b, size_t n)
{
	atomic_fetch_add_explicit(&b->used, n, memory_order_relaxed);
}

bool budget_take(struct budget *b, size_t n)
{
	size_t used = atomic_load_explicit(&b->used, memory_order_relaxed);
	do {
		if (used > b->limit || n > b->limit - used) {
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(
	        &b->used, &used, used + n, memory_order_relaxed, memory_order_relaxed));
	return true;
}

void budget_give(struct budget *b, size_t n)
{
	size_t before = atomic_fetch_sub_explicit(&b->used, n, memory_order_relaxed);
	expect(before >= n);
}

size_t budget_used(const struct budget *b)
{
	return atomic_load_explicit(&b->used, memory_order_relaxed);
}
