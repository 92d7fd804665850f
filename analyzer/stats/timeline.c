#include "analyzer/stats/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void add_bin(struct timeline_bin *to, const struct timeline_bin *from)
{
	bool earlier = id_is_zero(to->differed) || id_compare(from->differed, to->differed) < 0;
	if (!id_is_zero(from->differed) && earlier) {
		to->differed = from->differed;
	}
	to->n += from->n;
	to->differ += from->differ;
	to->changed += from->changed;
}

/* To bins twice as wide. */
static void widen(struct timeline *t)
{
	size_t kept = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct timeline_bin bin = t->bins[i];
		bin.number >>= 1;
		if (kept > 0 && t->bins[kept - 1].number == bin.number) {
			add_bin(&t->bins[kept - 1], &bin);
		} else {
			t->bins[kept++] = bin;
		}
	}
	t->n = kept;
	t->shift++;
}

/* Returns the first bin whose number is not below `number`. Searches from the end, because times
 * mostly increase. */
static size_t place_of(const struct timeline *t, uint64_t number)
{
	size_t at = t->n;
	if (at > 0 && t->bins[at - 1].number < number) {
		return at;
	}
	size_t low = 0;
	while (low < at) {
		size_t middle = low + (at - low) / 2;
		if (t->bins[middle].number < number) {
			low = middle + 1;
		} else {
			at = middle;
		}
	}
	return at;
}

void timeline_add(struct timeline *t, size_t limit, const struct timeline_answer *answer)
{
	struct timeline_bin bin = {
	        .number = answer->time >> t->shift,
	        .n = 1,
	        .differ = answer->differs,
	        .changed = answer->changed,
	};
	if (answer->differs) {
		bin.differed = answer->exchange;
	}
	if (!t->bins) {
		t->bins = xcalloc(limit + 1, sizeof(*t->bins));
	}
	size_t at = place_of(t, bin.number);
	if (at < t->n && t->bins[at].number == bin.number) {
		add_bin(&t->bins[at], &bin);
		return;
	}
	memmove(&t->bins[at + 1], &t->bins[at], (t->n - at) * sizeof(*t->bins));
	t->bins[at] = bin;
	t->n++;
	while (t->n > limit) {
		widen(t);
	}
}

void timeline_finish(struct timeline *t)
{
	free(t->bins);
	*t = (struct timeline){0};
}
