#include "base/reasons.h"

#include <inttypes.h>
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

/* Each place is a reason of its own: many would leave no room for reasons of another kind. */
void reasons_add_at(struct reasons *r, const char *path, uint64_t line, const char *why)
{
	char *text = r->n < REASONS_PLACES ? xasprintf("%s:%" PRIu64 ": %s", path, line, why)
	                                   : xasprintf("%s, further lines: %s", path, why);
	reasons_add(r, text);
	free(text);
}

void reasons_merge(struct reasons *r, const struct reasons *other)
{
	for (size_t i = 0; i < other->n; i++) {
		reasons_add_many(r, other->items[i].why, other->items[i].n);
	}
}

void reasons_finish(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].why);
	}
	*r = (struct reasons){0};
}
