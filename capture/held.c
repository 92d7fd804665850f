#include "capture/held.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"

struct held {
	struct held *next; /* in the table */
	atomic_uint refs;
	struct id owner;
	struct chunks pieces;
	bool lost;
};

void held_unref(struct held *h)
{
	if (h && atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) == 1) {
		chunks_finish(&h->pieces);
		free(h);
	}
}

void held_add(struct held *h, struct chunks *pieces)
{
	for (size_t i = 0; i < pieces->n && !h->lost; i++) {
		h->lost = !chunks_try_push(&h->pieces, pieces->items[i]);
		if (!h->lost) {
			chunk_ref(pieces->items[i]);
		}
	}
	chunks_finish(pieces);
	if (h->lost) {
		chunks_finish(&h->pieces);
	}
}

bool held_whole(const struct held *h)
{
	return !h->lost;
}

size_t held_bytes(const struct held *h)
{
	return h->pieces.bytes;
}

void held_gather(const struct held *h, struct buf *to)
{
	chunks_gather(&h->pieces, to);
}

void held_table_init(struct held_table *t)
{
	*t = (struct held_table){0};
	pthread_mutex_init(&t->lock, NULL);
}

void held_table_finish(struct held_table *t)
{
	for (size_t i = 0; i < HELD_BUCKETS; i++) {
		while (t->buckets[i]) {
			struct held *h = t->buckets[i];
			t->buckets[i] = h->next;
			held_unref(h);
		}
	}
	pthread_mutex_destroy(&t->lock);
}

static struct held **find(struct held_table *t, struct id owner)
{
	struct held **p = &t->buckets[XXH3_64bits(&owner, sizeof(owner)) % HELD_BUCKETS];
	while (*p && id_compare((*p)->owner, owner) != 0) {
		p = &(*p)->next;
	}
	return p;
}

struct held *held_table_get(struct held_table *t, struct id owner)
{
	pthread_mutex_lock(&t->lock);
	struct held **p = find(t, owner);
	if (!*p) {
		*p = xcalloc(1, sizeof(**p));
		(*p)->owner = owner;
		atomic_init(&(*p)->refs, 1);
	}
	struct held *h = *p;
	atomic_fetch_add_explicit(&h->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
	return h;
}

struct held *held_table_take(struct held_table *t, struct id owner)
{
	pthread_mutex_lock(&t->lock);
	struct held **p = find(t, owner);
	struct held *h = *p;
	if (h) {
		*p = h->next;
	}
	pthread_mutex_unlock(&t->lock);
	return h;
}
