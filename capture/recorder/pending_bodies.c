#include "capture/recorder/pending_bodies.h"

#include <stdlib.h>

#include "base/mem.h"

struct pending_body {
	atomic_uint refs;
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

struct pending_entry {
	struct id owner;
	struct pending_body *body;
};
static const struct hash_layout LAYOUT = {sizeof(struct pending_entry), sizeof(struct id)};

void pending_bodies_init(struct pending_bodies *t)
{
	*t = (struct pending_bodies){0};
	pthread_mutex_init(&t->lock, NULL);
}

void pending_bodies_finish(struct pending_bodies *t)
{
	const struct pending_entry *entries = t->bodies.entries;
	for (size_t i = 0; i < t->bodies.places; i++) {
		pending_body_unref(entries[i].body);
	}
	hash_table_finish(&t->bodies);
	pthread_mutex_destroy(&t->lock);
}

struct pending_body *pending_bodies_get(struct pending_bodies *t, struct id owner)
{
	bool is_new;
	pthread_mutex_lock(&t->lock);
	struct pending_entry *e = hash_table_add(&t->bodies, LAYOUT, &owner, &is_new);
	if (is_new) {
		e->body = xcalloc(1, sizeof(*e->body));
		atomic_init(&e->body->refs, 1);
	}
	struct pending_body *h = e->body;
	atomic_fetch_add_explicit(&h->refs, 1, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
	return h;
}

struct pending_body *pending_bodies_remove(struct pending_bodies *t, struct id owner)
{
	struct pending_entry e;
	pthread_mutex_lock(&t->lock);
	bool had = hash_table_remove(&t->bodies, LAYOUT, &owner, &e);
	pthread_mutex_unlock(&t->lock);
	return had ? e.body : NULL;
}
