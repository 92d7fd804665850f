#include "capture/privacy/redact_beginnings.h"

struct group {
	struct span text;
	struct piece *const *pieces;
	size_t n;
};

/* The text of the document to which piece i belongs. *ret_next: the first piece after it. */
static struct span document_at(const struct group *g, size_t i, size_t *ret_next)
{
	const struct piece *first = g->pieces[i], *last = first;
	for (; i < g->n && g->pieces[i]->document == first->document; i++) {
		last = g->pieces[i];
	}
	*ret_next = i;
	return (struct span){
	        g->text.data + first->text_at, last->text_at + last->text_len - first->text_at};
}

/* In the pieces from `from` up to `to`, each document begins with the text of the one before.
 * whole: the text of the last one. */
static void find_in_chain(
        struct redact_ranges *f, const struct group *g, size_t from, size_t to, struct span whole)
{
	size_t offset = (size_t)(whole.data - g->text.data), first = f->n;
	if (from == to || g->pieces[from]->document == g->pieces[to - 1]->document) {
		return;
	}
	redact_ranges_in(f, whole, offset);
	if (!redact_ranges_sort(f, first)) {
		return;
	}
	size_t end = f->n;
	for (size_t next; from < to; from = next) {
		struct span text = document_at(g, from, &next);
		size_t at = (size_t)(text.data - g->text.data);
		for (size_t i = first; i < end && !f->error; i++) {
			struct range r = f->ranges[i];
			if (r.from - offset >= text.len) {
				break; /* so do all ranges after it */
			}
			redact_ranges_add(
			        f, at + r.from - offset, at + MIN(r.to - offset, text.len), r.kind);
		}
	}
}

void redact_beginnings_find(
        struct redact_ranges *f, struct span text, struct piece *const *group, size_t n)
{
	const struct group g = {text, group, n};
	struct span last = {text.data, 0};
	size_t from = 0, at = 0;
	for (size_t next; at < n && !f->error; at = next) {
		struct span document = document_at(&g, at, &next);
		if (document.len == 0) {
			continue; /* an event without new text does not end the chain */
		}
		if (!span_begins(document, last)) {
			find_in_chain(f, &g, from, at, last);
			from = at;
		}
		last = document;
	}
	find_in_chain(f, &g, from, at, last);
}
