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
	size_t used = budget_used(b), limit = b->limit - b->limit / 8;
	do {
		if (used > limit || n > limit - used) {
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(
	        &b->used, &used, used + n, memory_order_relaxed, memory_order_relaxed));
	return true;
}

size_t budget_window(const struct budget *b, size_t window)
{
	size_t used = budget_used(b);
	if (used >= b->limit) {
		return 0;
	}
	return (size_t)((double)window * ((double)(b->limit - used) / (double)b->limit));
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
