#include "proxy/worker_config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "proxy/mirror.h"
#include "proxy/worker.h"

static struct mirror *find_mirror(
        const struct worker_config *before, struct config_snapshot *snapshot, size_t number)
{
	const struct backend_settings *b = &snapshot->settings->references[number];
	for (size_t i = 0; before && i < before->snapshot->n_references; i++) {
		struct mirror *m = before->mirrors[i];
		if (m->backend == snapshot->references[number] &&
		        connection_pool_reaches(m->pool, snapshot, b)) {
			return m;
		}
	}
	return NULL;
}

struct worker_config *worker_config_create(
        struct worker *w, struct config_snapshot *snapshot, const struct worker_config *before)
{
	const struct settings *conf = snapshot->settings;
	struct worker_config *s = xcalloc(1, sizeof(*s));
	s->refs = 1;
	s->snapshot = config_snapshot_ref(snapshot);
	if (before && connection_pool_reaches(before->primary, snapshot, &conf->primary)) {
		s->primary = connection_pool_ref(before->primary);
	} else {
		s->primary = connection_pool_create(&w->loop, w->shared, snapshot, &conf->primary);
	}
	for (size_t i = 0; i < snapshot->n_references; i++) {
		struct mirror *m = find_mirror(before, snapshot, i);
		s->mirrors[i] = m ? mirror_ref(m) : mirror_create(w, snapshot, i);
	}
	list_append(&w->configs, &s->link);
	return s;
}

struct worker_config *worker_config_ref(struct worker_config *s)
{
	s->refs++;
	return s;
}

void worker_config_unref(struct worker_config *s)
{
	expect(s->refs);
	s->refs--;
}

static void destroy(struct worker_config *s)
{
	list_remove(&s->link);
	for (size_t i = 0; i < s->snapshot->n_references; i++) {
		mirror_unref(s->mirrors[i]);
	}
	connection_pool_unref(s->primary);
	config_snapshot_unref(s->snapshot);
	free(s);
}

void worker_config_sweep(struct worker *w)
{
	LIST_EACH(struct worker_config, s, link, &w->configs)
	{
		if (!s->refs) {
			destroy(s);
		}
	}
}
