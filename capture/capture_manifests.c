/*
 * The manifests of a capture, from the meta tables of its segments. Manifests with the same content
 * for one backend form one stack.
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

static int compare(const void *a, const void *b)
{
	const struct manifest_row *x = a, *y = b;
	return id_compare(x->id, y->id);
}

static int compare_names(const void *a, const void *b)
{
	const struct capture_stack *x = a, *y = b;
	return id_compare(x->manifest, y->manifest);
}

/* Each recording process identifies the backends anew and gives its manifests ids of its own, so
 * that ids cannot be compared. */
static bool is_same_stack(const struct manifest_row *a, const struct manifest_row *b)
{
	static const uint8_t NONE[sizeof(a->digest)];
	return memcmp(a->digest, NONE, sizeof(NONE)) != 0 &&
	       memcmp(a->digest, b->digest, sizeof(NONE)) == 0 &&
	       strcmp(a->backend ? a->backend : "", b->backend ? b->backend : "") == 0;
}

/* Sorts manifests by id and keeps only the oldest of each stack. */
static void sort_and_thin(struct capture *c)
{
	size_t n = 0;
	if (c->n_manifests) {
		qsort(c->manifests, c->n_manifests, sizeof(*c->manifests), compare);
	}
	c->stacks = xcalloc(c->n_manifests + 1, sizeof(*c->stacks));
	for (size_t i = 0; i < c->n_manifests; i++) {
		struct capture_stack *last = c->n_stacks ? &c->stacks[c->n_stacks - 1] : NULL;
		if (last && id_compare(last->manifest, c->manifests[i].id) == 0) {
			/* the same manifest, from another segment */
			manifest_row_finish(&c->manifests[i]);
			continue;
		}
		size_t same = 0;
		while (same < n && !is_same_stack(&c->manifests[same], &c->manifests[i])) {
			same++;
		}
		c->stacks[c->n_stacks++] = (struct capture_stack){c->manifests[i].id, same};
		if (same < n) {
			manifest_row_finish(&c->manifests[i]);
		} else {
			c->manifests[n++] = c->manifests[i];
		}
	}
	c->n_manifests = n;
}

void capture_read_manifests(struct capture *c)
{
	for (size_t i = 0; i < c->n_sources; i++) {
		struct segment_reader *reader = c->sources[i].reader;
		struct span key = SPAN(MANIFEST_KEY), value;
		struct id id;
		while (segment_seek(reader, TABLE_META, key, true, &key, &value) == 0 &&
		        record_is_manifest_key(key, &id)) {
			add(c, value, id);
		}
	}
	sort_and_thin(c);
}

size_t capture_manifests(const struct capture *c, const struct manifest_row **ret)
{
	*ret = c->manifests;
	return c->n_manifests;
}

const struct manifest_row *capture_manifest(const struct capture *c, struct id id)
{
	struct capture_stack wanted = {.manifest = id};
	const struct capture_stack *found = c->n_stacks ? bsearch(&wanted, c->stacks, c->n_stacks,
	                                                          sizeof(wanted), compare_names)
	                                                : NULL;
	return found ? &c->manifests[found->row] : NULL;
}

void capture_finish_manifests(struct capture *c)
{
	for (size_t i = 0; i < c->n_manifests; i++) {
		manifest_row_finish(&c->manifests[i]);
	}
	free(c->manifests);
	free(c->stacks);
}
