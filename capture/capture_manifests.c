/*
 * The manifests of a capture, out of the meta tables of its segments.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/capture_source.h"

static void add(struct capture *c, struct span value, struct id id)
{
	struct span payload;
	struct manifest_row row;
	int r = record_unwrap(value, ROW_MANIFEST, &c->scratch, &payload);
	if (r == 0) {
		r = record_get_manifest(payload, &row);
	}
	if (r < 0) {
		c->figures.damaged_rows++;
		return;
	}
	if (id_compare(row.id, id) != 0) {
		c->figures.damaged_rows++;
		manifest_row_finish(&row);
		return;
	}
	c->manifests = xrealloc(c->manifests, (c->n_manifests + 1) * sizeof(*c->manifests));
	c->manifests[c->n_manifests++] = row;
}

static void read_segment(struct capture *c, struct capture_source *s)
{
	struct buf from = {0};
	struct span key, value;
	struct id id;
	buf_append_str(&from, MANIFEST_KEY);
	while (segment_seek(s->reader, TABLE_META, buf_span(&from), true, &key, &value) == 0 &&
	        record_is_manifest_key(key, &id)) {
		buf_clear(&from);
		buf_append_span(&from, key);
		add(c, value, id);
	}
	buf_finish(&from);
}

static int compare(const void *a, const void *b)
{
	const struct manifest_row *x = a, *y = b;
	return id_compare(x->id, y->id);
}

/* Each is in many segments. */
static void sort_and_thin(struct capture *c)
{
	size_t n = 0;
	if (c->n_manifests) {
		qsort(c->manifests, c->n_manifests, sizeof(*c->manifests), compare);
	}
	for (size_t i = 0; i < c->n_manifests; i++) {
		if (n && compare(&c->manifests[n - 1], &c->manifests[i]) == 0) {
			manifest_row_finish(&c->manifests[i]);
		} else {
			c->manifests[n++] = c->manifests[i];
		}
	}
	c->n_manifests = n;
}

size_t capture_manifests(struct capture *c, const struct manifest_row **ret)
{
	if (!c->has_manifests) {
		c->has_manifests = true;
		capture_renew(c);
		for (size_t i = 0; i < c->n_sources; i++) {
			if (c->sources[i].reader) {
				read_segment(c, &c->sources[i]);
			}
		}
		sort_and_thin(c);
	}
	*ret = c->manifests;
	return c->n_manifests;
}

const struct manifest_row *capture_manifest(struct capture *c, struct id id)
{
	const struct manifest_row *all;
	struct manifest_row wanted = {.id = id};
	size_t n = capture_manifests(c, &all);
	return n ? bsearch(&wanted, all, n, sizeof(*all), compare) : NULL;
}

void capture_finish_manifests(struct capture *c)
{
	for (size_t i = 0; i < c->n_manifests; i++) {
		manifest_row_finish(&c->manifests[i]);
	}
	free(c->manifests);
	c->manifests = NULL;
	c->n_manifests = 0;
}
