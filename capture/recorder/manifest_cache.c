#include "capture/recorder/manifest_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct entry {
	struct id id;
	uint64_t number; /* sequence number, from 1 */
	struct buf key, value;
};

struct manifest_cache {
	pthread_mutex_t lock;
	uint64_t number;
	struct entry entries[MANIFEST_CACHE_LIMIT]; /* least recently used first */
	size_t n;
};

struct manifest_cache *manifest_cache_create(void)
{
	struct manifest_cache *s = xcalloc(1, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void entry_finish(struct entry *e)
{
	buf_finish(&e->key);
	buf_finish(&e->value);
}

void manifest_cache_destroy(struct manifest_cache *s)
{
	if (!s) {
		return;
	}
	for (size_t i = 0; i < s->n; i++) {
		entry_finish(&s->entries[i]);
	}
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void remove_entry(struct manifest_cache *s, size_t at)
{
	memmove(&s->entries[at], &s->entries[at + 1], (s->n - at - 1) * sizeof(s->entries[0]));
	s->n--;
}

void manifest_cache_put(struct manifest_cache *s, const struct manifest_row *row)
{
	struct entry e = {.id = row->id};
	struct buf payload = {0};
	record_manifest_key(&e.key, row->id);
	record_put_manifest(&payload, row);
	record_wrap(&e.value, ROW_MANIFEST, buf_span(&payload), RECORD_SMALL);
	buf_finish(&payload);

	pthread_mutex_lock(&s->lock);
	size_t at = 0;
	while (at < s->n && id_compare(s->entries[at].id, row->id) != 0) {
		at++;
	}
	if (at < s->n) {
		/* Its content is unchanged. It keeps its number, and so the record of the
		 * segments that already have it. */
		entry_finish(&e);
		e = s->entries[at];
		remove_entry(s, at);
	} else {
		e.number = ++s->number;
		if (s->n == MANIFEST_CACHE_LIMIT) {
			entry_finish(&s->entries[0]);
			remove_entry(s, 0);
		}
	}
	s->entries[s->n++] = e;
	pthread_mutex_unlock(&s->lock);
}

int manifest_cache_since(struct manifest_cache *s, uint64_t *since, manifest_cache_fn fn, void *arg)
{
	int r = 0;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n && r >= 0; i++) {
		const struct entry *e = &s->entries[i];
		if (e->number > *since) {
			r = fn(arg, buf_span(&e->key), buf_span(&e->value));
		}
	}
	if (r >= 0) {
		*since = s->number;
	}
	pthread_mutex_unlock(&s->lock);
	return r < 0 ? r : 0;
}

size_t manifest_cache_bytes(struct manifest_cache *s, uint64_t since)
{
	size_t bytes = 0;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n; i++) {
		const struct entry *e = &s->entries[i];
		bytes += e->number > since ? e->key.len + e->value.len : 0;
	}
	pthread_mutex_unlock(&s->lock);
	return bytes;
}
