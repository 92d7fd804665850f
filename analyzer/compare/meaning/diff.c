#include "analyzer/compare/meaning/diff.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/mem.h"

struct runs {
	struct diff_run *items;
	size_t n, cap;
};

/* Appends a run, or extends the last one if it is of the same kind. */
static void push(struct runs *r, uint32_t n_a, uint32_t n_b, bool equal)
{
	if (n_a == 0 && n_b == 0) {
		return;
	}
	struct diff_run *last = r->n ? &r->items[r->n - 1] : NULL;
	if (last && last->equal == equal) {
		last->n_a += n_a;
		last->n_b += n_b;
		return;
	}
	uint32_t a = last ? last->a + last->n_a : 0, b = last ? last->b + last->n_b : 0;
	r->items = grow(r->items, r->n, &r->cap, sizeof(*r->items));
	r->items[r->n++] = (struct diff_run){a, b, n_a, n_b, equal};
}

/* The longest common subsequence, by dynamic programming: longest[i][k] is its length for the
 * suffixes that begin at a[i] and b[k]. */
static void middle(
        struct runs *r, const struct span *a, uint32_t n_a, const struct span *b, uint32_t n_b)
{
	if ((uint64_t)n_a * n_b > DIFF_CELLS) {
		push(r, n_a, n_b, false);
		return;
	}
	size_t width = (size_t)n_b + 1;
	uint16_t *longest = xcalloc(((size_t)n_a + 1) * width, sizeof(*longest));
	for (size_t i = n_a; i-- > 0;) {
		for (size_t k = n_b; k-- > 0;) {
			uint16_t *here = &longest[i * width + k];
			bool equal = span_equal(a[i], b[k]);
			*here = equal ? (uint16_t)(here[width + 1] + 1) : MAX(here[1], here[width]);
		}
	}
	for (size_t i = 0, k = 0; i < n_a || k < n_b;) {
		const uint16_t *here = &longest[i * width + k];
		bool equal = i < n_a && k < n_b && span_equal(a[i], b[k]);
		bool of_a = i < n_a && (k == n_b || here[width] >= here[1]);
		push(r, equal || of_a, equal || !of_a, equal);
		i += equal || of_a;
		k += equal || !of_a;
	}
	free(longest);
}

size_t diff_find(const struct span *a, uint32_t n_a, const struct span *b, uint32_t n_b,
        struct diff_run **ret_runs)
{
	struct runs r = {0};
	uint32_t head = 0, tail = 0, least = n_a < n_b ? n_a : n_b;
	while (head < least && span_equal(a[head], b[head])) {
		head++;
	}
	while (tail < least - head && span_equal(a[n_a - 1 - tail], b[n_b - 1 - tail])) {
		tail++;
	}
	push(&r, head, head, true);
	middle(&r, a + head, n_a - head - tail, b + head, n_b - head - tail);
	push(&r, tail, tail, true);
	*ret_runs = r.items;
	return r.n;
}
