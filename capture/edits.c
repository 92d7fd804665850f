#include "capture/edits.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/grow.h"

void edits_finish(struct edits *e)
{
	if (e) {
		for (size_t i = 0; i < e->n; i++) {
			free((void *)(uintptr_t)e->items[i].inserted.data);
		}
		free(e->items);
		*e = (struct edits){0};
	}
}

void edits_add(struct edits *e, size_t at, size_t removed, struct span inserted)
{
	e->items = grow(e->items, e->n, &e->cap, sizeof(*e->items));
	e->items[e->n++] = (struct edit){
	        .at = at,
	        .removed = removed,
	        .inserted = {inserted.len ? span_dup(inserted) : NULL, inserted.len},
	};
}

static int compare(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;
	if (x->at != y->at) {
		return x->at < y->at ? -1 : 1;
	}
	/* An insertion after a removal is at the offset where the removal ends, never where it
	 * begins. */
	return x->removed < y->removed ? -1 : x->removed > y->removed;
}

void edits_sort(struct edits *e)
{
	if (e->n > 1) {
		qsort(e->items, e->n, sizeof(*e->items), compare);
	}
}

bool edits_apply(const struct edit *items, size_t n, struct span body, struct buf *to)
{
	const char *text = body.data ? body.data : "";
	bool good = true;
	size_t from = 0;
	for (size_t i = 0; i < n; i++) {
		const struct edit *e = &items[i];
		if (e->at < from || e->at > body.len || e->removed > body.len - e->at) {
			good = false;
			continue;
		}
		buf_append(to, text + from, e->at - from);
		buf_append_span(to, e->inserted);
		from = e->at + e->removed;
	}
	buf_append(to, text + from, body.len - from);
	return good;
}

void members_open(struct members *m, const char *brace, members_drop_fn drop, void *arg)
{
	*m = (struct members){.end = brace + 1, .drop = drop, .arg = arg};
}

/* Members removed before the first kept one are removed up to the next key, with the comma
 * before it. */
static void flush(struct members *m, const char *key)
{
	if (m->pending) {
		m->drop(m->arg, m->pending, key);
		m->pending = NULL;
	}
}

void members_keep(struct members *m, const char *key, const char *value_end)
{
	flush(m, key);
	m->kept = true;
	m->end = value_end;
}

void members_take(struct members *m, const char *key, const char *value_end)
{
	flush(m, key);
	if (m->kept) {
		m->drop(m->arg, m->end, value_end);
	} else {
		m->pending = key;
	}
	m->end = value_end;
}

void members_close(struct members *m, const char *brace)
{
	flush(m, brace);
}
