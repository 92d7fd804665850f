#include "capture/pending_bodies.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"

struct pending_body {
	struct pending_body *next; /* next in the hash table */
	atomic_uint refs;
	struct id owner;
	struct chunks pieces;
};

void pending_body_unref(struct pending_body *h)
{
	if (h && atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) == 1) {
		chunks_finish(&h->pieces);
		free(h);
	}
}

void pending_body_add(struct pending_body *h, struct chunks *pieces)
{
	for (size_t i = 0; i < pieces->n; i++) {
		chunks_push(&h->pieces, chunk_ref(pieces->items[i]));
	}
	chunks_finish(pieces);
}

void pending_body_copy(const struct pending_body *h, struct buf *to)
{
	chunks_gather(&h->pieces, to);
}

void pending_bodies_init(struct pending_bodies *t)
{
	*t = (struct pending_bodies){0};
	pthread_mutex_init(&t->lock, NULL);
}

void pending_bodies_finish(struct pending_bodies *t)
{
	for (size_t i = 0; i < PENDING_BUCKETS; i++) {
		while (t->buckets[i]) {
			struct pending_body *h = t->buckets[i];
			t->buckets[i] = h->next;
			pending_body_unref(h);
		}
	}
	pthread_mutex_destroy(&t->lock);
}

static struct pending_body **find(struct pending_bodies *t, struct id owner)
{
	struct pending_body **p = &t->buckets[XXH3_64bits(&owner, sizeof(owner)) % PENDING_BUCKETS];
	while (*p && id_compare((*p)->owner, owner) != 0) {
		p = &(*p)->next;
	}
	return p;
}

struct pending_body *pending_bodies_get(struct pending_bodies *t, struct id owner)
{
	pthread_mutex_lock(&t->lock);
	struct pending_body **p = find(t, owner);
	if (!*p) {
		*p = xcalloc(1, sizeof(**p));
		(*p)->owner = owner;
		atomic_init(&(*p)->refs, 1);
	}
	struct pending_body *h = *p;
	atomic_fetch_add_explicit(&h->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
	return h;
}

struct pending_body *pending_bodies_remove(struct pending_bodies *t, struct id owner)
{
	pthread_mutex_lock(&t->lock);
	struct pending_body **p = find(t, owner);
	struct pending_body *h = *p;
	if (h) {
		*p = h->next;
	}
	pthread_mutex_unlock(&t->lock);
	return h;
}
