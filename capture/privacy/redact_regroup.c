/*
 * Detects streams in which the member that should distinguish texts (such as an index) counts
 * events instead. Their pieces are then grouped again as one text.
 */
#include <stdlib.h>

#include "capture/privacy/redact_pieces.h"

#define FEW_EVENTS 4 /* events per index; an index that numbers texts would have more */

static int by_path(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;
	if (x->path != y->path) {
		return x->path < y->path ? -1 : 1;
	}
	if (x->channel != y->channel) {
		return x->channel < y->channel ? -1 : 1;
	}
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Whether the channels of this path's pieces only count their events. */
static bool is_counted(struct piece **group, size_t n)
{
	size_t channels = 1, events = 1;
	bool several = false, gone = group[0]->flags & PIECE_PRIVATE;
	for (size_t i = 1; i < n; i++) {
		gone = gone || group[i]->flags & PIECE_PRIVATE;
		bool other = group[i]->channel != group[i - 1]->channel;
		several = several || group[i]->document != group[0]->document;
		channels += other;
		events += other || group[i]->document != group[i - 1]->document;
	}
	return !gone && several && channels > 1 && events < FEW_EVENTS * channels;
}

bool redact_pieces_regroup(struct pieces *p, struct piece **order)
{
	size_t n = 0;
	bool any = false;
	for (size_t i = 0; i < p->n; i++) {
		if (p->items[i].path) {
			order[n++] = &p->items[i];
		}
	}
	qsort(order, n, sizeof(*order), by_path);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && order[end]->path == order[i]->path; end++) {
		}
		bool counted = is_counted(order + i, end - i);
		for (size_t k = i; k < end; k++) {
			order[k]->path = counted ? order[k]->path : 0;
		}
		any = any || counted;
	}
	for (size_t i = 0; any && i < p->n; i++) {
		p->items[i].channel = p->items[i].path;
	}
	return any;
}
