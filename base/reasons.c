#include "base/reasons.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void reasons_add(struct reasons *r, const char *why)
{
	r->total++;
	for (size_t i = 0; i < r->n; i++) {
		bool last = r->n == REASONS_LIMIT && i + 1 == r->n;
		if (last || strcmp(r->items[i].why, why) == 0) {
			r->items[i].n++;
			return;
		}
	}
	bool last = r->n + 1 == REASONS_LIMIT;
	r->items[r->n++] = (struct reason){xstrdup(last ? "for yet other reasons" : why), 1};
}

void reasons_finish(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].why);
	}
	*r = (struct reasons){0};
}
