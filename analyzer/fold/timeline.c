#include "analyzer/fold/timeline.h"

#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

static void add_counts(struct timeline_stretch *to, const struct timeline_stretch *from)
{
	to->n += from->n;
	to->differ += from->differ;
	to->changed += from->changed;
}

static void widen(struct timeline *t)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct timeline_stretch s = t->stretches[i];
		s.number >>= 1;
		if (kept > 0 && t->stretches[kept - 1].number == s.number) {
			add_counts(&t->stretches[kept - 1], &s);
		} else {
			t->stretches[kept++] = s;
		}
	}
	t->n = kept;
	t->log2_width++;
}

/* The first stretch that does not begin before that number. */
static size_t find(const struct timeline *t, uint64_t number)
{
	size_t low = 0, high = t->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->stretches[middle].number < number) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* second: where the counts' stretch begins, or any second within it. */
static void add(struct timeline *t, uint64_t second, const struct timeline_stretch *counts)
{
	for (;;) {
		uint64_t number = second >> t->log2_width;
		size_t at = find(t, number);
		if (at < t->n && t->stretches[at].number == number) {
			add_counts(&t->stretches[at], counts);
			return;
		}
		if (t->n < TIMELINE_STRETCHES) {
			struct timeline_stretch *to = &t->stretches[at];
			memmove(to + 1, to, (t->n - at) * sizeof(*to));
			*to = *counts;
			to->number = number;
			t->n++;
			return;
		}
		widen(t);
	}
}

void timeline_add(struct timeline *t, uint64_t wall_ns, bool differ, bool changed)
{
	const struct timeline_stretch one = {.n = 1, .differ = differ, .changed = changed};
	add(t, wall_ns / NS_PER_S, &one);
}

void timeline_merge(struct timeline *t, const struct timeline *other)
{
	while (t->log2_width < other->log2_width) {
		widen(t);
	}
	for (size_t i = 0; i < other->n; i++) {
		const struct timeline_stretch *s = &other->stretches[i];
		add(t, s->number << other->log2_width, s);
	}
}
