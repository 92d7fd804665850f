#include "analyzer/compare/meaning/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct runs {
	struct diff_run *items;
	size_t n, cap;
};

/* Neighbours of one kind become one. */
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
	if (!r->items || r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->items = xrealloc(r->items, r->cap * sizeof(*r->items));
	}
	r->items[r->n++] = (struct diff_run){a, b, n_a, n_b, equal};
}

struct search {
	const struct span *a, *b;
	int n, m;
	/* Of each number of edits d the furthest x on the diagonals -d .. d. */
	int **reached;
	int edits;
};

static int furthest(const int *before, int d, int k)
{
	if (d == 0) {
		return 0;
	}
	/* before[i] is of diagonal i - (d - 1). */
	int from_left = k - 1 >= -(d - 1) ? before[k - 1 + d - 1] + 1 : -1;
	int from_above = k + 1 <= d - 1 ? before[k + 1 + d - 1] : -1;
	return from_left > from_above ? from_left : from_above;
}

/* False: it takes more than DIFF_EDITS. */
static bool search(struct search *s)
{
	for (int d = 0; d <= DIFF_EDITS && d <= s->n + s->m; d++) {
		s->reached[d] = xcalloc(2 * (size_t)d + 1, sizeof(int));
		for (int k = -d; k <= d; k += 2) {
			int x = furthest(d ? s->reached[d - 1] : NULL, d, k);
			/* Beyond either end there is nothing to compare. */
			while (x >= 0 && x - k >= 0 && x < s->n && x - k < s->m &&
			        span_equal(s->a[x], s->b[x - k])) {
				x++;
			}
			s->reached[d][k + d] = x;
			if (x >= s->n && x - k >= s->m) {
				s->edits = d;
				return true;
			}
		}
	}
	return false;
}

struct step {
	int n_a, n_b;
	bool equal;
};

/* Walks back from the end; steps are in reverse order. */
static size_t trace(const struct search *s, struct step *steps)
{
	int x = s->n, y = s->m;
	size_t n = 0;
	for (int d = s->edits; d >= 0; d--) {
		int k = x - y, start = furthest(d ? s->reached[d - 1] : NULL, d, k);
		steps[n++] = (struct step){x - start, x - start, true};
		x = start;
		y = start - k;
		if (d > 0) {
			const int *before = s->reached[d - 1];
			bool left = k - 1 >= -(d - 1) && before[k - 1 + d - 1] + 1 == start;
			steps[n++] = (struct step){left ? 1 : 0, left ? 0 : 1, false};
			x -= left ? 1 : 0;
			y -= left ? 0 : 1;
		}
	}
	return n;
}

static void middle(
        struct runs *r, const struct span *a, uint32_t n_a, const struct span *b, uint32_t n_b)
{
	struct search s = {.a = a, .b = b, .n = (int)n_a, .m = (int)n_b};
	s.reached = xcalloc(DIFF_EDITS + 1, sizeof(int *));
	if (n_a == 0 || n_b == 0 || !search(&s)) {
		push(r, n_a, n_b, false);
	} else {
		struct step *steps = xcalloc(2 * (size_t)s.edits + 2, sizeof(*steps));
		for (size_t i = trace(&s, steps); i-- > 0;) {
			push(r, (uint32_t)steps[i].n_a, (uint32_t)steps[i].n_b, steps[i].equal);
		}
		free(steps);
	}
	for (int d = 0; d <= DIFF_EDITS; d++) {
		free(s.reached[d]);
	}
	free(s.reached);
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
