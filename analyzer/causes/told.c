#include "analyzer/causes/told.h"

#include "backends/manifest.h"

const struct sampling *told_get(struct told *t, struct capture *c, struct id manifest)
{
	for (size_t i = 0; i < t->n; i++) {
		if (id_compare(t->items[i].manifest, manifest) == 0) {
			return &t->items[i].defaults;
		}
	}
	if (id_is_zero(manifest) || t->n == TOLD_LIMIT) {
		return NULL;
	}
	const struct manifest_row *row = capture_manifest(c, manifest);
	struct manifest *m = row && row->json ? manifest_parse(row->json) : NULL;
	if (!m) {
		return NULL;
	}
	t->items[t->n].manifest = manifest;
	t->items[t->n].defaults = manifest_sampling(m);
	manifest_destroy(m);
	return &t->items[t->n++].defaults;
}
