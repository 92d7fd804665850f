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

static void add(struct reasons *r, const char *why, size_t kind, uint64_t n)
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
	char *text = xstrdup(last ? "for yet other reasons" : why);
	r->items[r->n++] = (struct reason){text, text + (last ? 0 : kind), n};
}

void reasons_add_many(struct reasons *r, const char *why, uint64_t n)
{
	add(r, why, 0, n);
}

/* Each place is a reason of its own: many would leave no room for reasons of another kind. */
void reasons_add_at(struct reasons *r, const char *path, uint64_t line, const char *why)
{
	char *text = r->n < REASONS_PLACES ? xasprintf("%s:%" PRIu64 ": %s", path, line, why)
	                                   : xasprintf("%s, further lines: %s", path, why);
	add(r, text, strlen(text) - strlen(why), 1);
	free(text);
}

void reasons_merge(struct reasons *r, const struct reasons *other)
{
	for (size_t i = 0; i < other->n; i++) {
		const struct reason *each = &other->items[i];
		add(r, each->why, (size_t)(each->kind - each->why), each->n);
	}
}

uint64_t reasons_of_kind(const struct reasons *r, size_t i)
{
	uint64_t n = 0;
	for (size_t k = 0; k < r->n; k++) {
		if (strcmp(r->items[k].kind, r->items[i].kind) != 0) {
			continue;
		}
		if (k < i) {
			return 0;
		}
		n += r->items[k].n;
	}
	return n;
}

void reasons_finish(struct reasons *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].why);
	}
	*r = (struct reasons){0};
}
