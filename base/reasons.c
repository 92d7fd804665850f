#include "base/reasons.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void reasons_add(struct reasons *r, const char *why)
{
	reasons_add_many(r, why, 1);
}

void reasons_add_many(struct reasons *r, const char *why, uint64_t n)
{
	r->total += n;
	for (size_t i = 0; i < r->n; i++) {
		bool last = r->n == REASONS_LIMIT && i + 1 == r->n;
		if (last || strcmp(r->items[i].why, why) == 0) {
			r->items[i].n += n;
			return;
		}
	}
	bool last = r->n + 1 == REASONS_LIMIT;
	r->items[r->n++] = (struct reason){xstrdup(last ? "for yet other reasons" : why), n};
}

void reasons_finish(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].why);
	}
	*r = (struct reasons){0};
}
