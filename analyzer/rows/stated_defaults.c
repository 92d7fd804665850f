#include "analyzer/rows/stated_defaults.h"

#include "backends/manifest_collect.h"
#include "base/check.h"

const struct stated *stated_defaults_get(
        struct stated_defaults *t, struct capture *c, struct id manifest)
{
	for (size_t i = 0; i < MIN(t->n, (size_t)STATED_DEFAULTS_LIMIT); i++) {
		if (id_compare(t->items[i].manifest, manifest) == 0) {
			return &t->items[i].stated;
		}
	}
	const struct manifest_row *row =
	        id_is_zero(manifest) ? NULL : capture_manifest(c, manifest);
	struct manifest *m = row && row->json ? manifest_parse(row->json) : NULL;
	if (!m) {
		return NULL;
	}
	size_t at = t->n++ % STATED_DEFAULTS_LIMIT;
	t->items[at].manifest = manifest;
	t->items[at].stated = (struct stated){manifest_sampling(m), manifest_logprobs_basis(m)};
	manifest_destroy(m);
	return &t->items[at].stated;
}
