#include "analyzer/rows/slice.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <xxhash.h>

#include "analyzer/rows/rows.h"
#include "capture/manifest.h"
#include "base/mem.h"
#include "base/enum_names.h"

#define NAME_LIMIT 64

ENUM_NAMES(slice_by_name, enum slice_by, "none", "stack", "replica");

/* The text comes from a file and is shown on a terminal. */
static char *printable(const char *text)
{
	char *copy = xstrndup(text, NAME_LIMIT);
	for (char *p = copy; *p; p++) {
		*p = *p < ' ' || *p > '~' ? '?' : *p;
	}
	return copy;
}

char *slices_stack_name(struct capture *c, struct id id, bool with_day)
{
	const struct manifest_row *row = id_is_zero(id) ? NULL : capture_manifest(c, id);
	struct manifest *m = row ? manifest_parse(row->json) : NULL;
	if (!m) {
		return NULL;
	}
	const char *version = manifest_get(m, "engine.version");
	time_t seconds = (time_t)(m->wall_ns / 1000000000u);
	struct tm when;
	char from[32] = "?";
	if (gmtime_r(&seconds, &when)) {
		if (with_day) {
			strftime(from, sizeof(from), "%Y-%m-%d %H:%M UTC", &when);
		} else {
			strftime(from, sizeof(from), "%H:%M", &when);
		}
	}
	char *text = xasprintf(
	        "%s%s%s, from %s", m->dialect, version ? " " : "", version ? version : "", from);
	char *name = printable(text);
	free(text);
	manifest_destroy(m);
	return name;
}

static struct slice *find(
        struct slices *s, const char *backend, struct id stack, const char *replica)
{
	for (size_t i = 0; i < s->n; i++) {
		struct slice *each = &s->items[i];
		if (strcmp(each->backend, backend) == 0 && id_compare(each->stack, stack) == 0 &&
		        same_text(each->replica, replica)) {
			return each;
		}
	}
	return NULL;
}

/* The number of this stack among the backend's stacks with the same name, in the capture's
 * order: two stacks may have the same version and start within a minute. */
static unsigned number_of_stack(
        struct capture *c, const char *backend, struct id stack, const char *name)
{
	const struct manifest_row *rows;
	size_t n_rows = capture_manifests(c, &rows);
	unsigned n = 1;
	for (size_t i = 0; i < n_rows && id_compare(rows[i].id, stack) < 0; i++) {
		bool own = rows[i].backend && strcmp(rows[i].backend, backend) == 0;
		char *other = own ? slices_stack_name(c, rows[i].id, false) : NULL;
		n += other && strcmp(other, name) == 0;
		free(other);
	}
	return n;
}

static char *name_of_stack(struct capture *c, const char *backend, struct id stack)
{
	char *what = slices_stack_name(c, stack, false);
	unsigned n = what ? number_of_stack(c, backend, stack, what) : 1;
	char *name = n > 1 ? xasprintf("%s [%s, #%u]", backend, what, n)
	                   : xasprintf("%s [%s]", backend, what ? what : "unknown stack");
	free(what);
	return name;
}

/* Adds a hash to a name that can't be shown, or not in full, to keep such names apart. */
static char *name_of_replica(const char *backend, const char *replica)
{
	char *what = printable(replica ? replica : "unknown replica");
	bool whole = !replica || strcmp(what, replica) == 0;
	char *name = whole ? xasprintf("%s [%s]", backend, what)
	                   : xasprintf("%s [%s, #%08x]", backend, what,
	                             (unsigned)XXH3_64bits(replica, strlen(replica)));
	free(what);
	return name;
}

const char *slices_name(struct slices *s, struct capture *c, const struct leg_row *leg)
{
	static const struct id none;
	const char *backend = names_of_backend(leg);
	if (s->by == SLICE_NONE) {
		return backend;
	}
	bool by_stack = s->by == SLICE_STACK;
	struct id stack = by_stack ? leg->manifest : none;
	const char *replica = by_stack ? NULL : leg->replica ? leg->replica : leg->fingerprint;
	struct slice *known = find(s, backend, stack, replica);
	if (known) {
		return known->name;
	}
	struct slice fresh = {
	        .backend = xstrdup(backend),
	        .stack = stack,
	        .replica = replica ? xstrdup(replica) : NULL,
	};
	fresh.name =
	        by_stack ? name_of_stack(c, backend, stack) : name_of_replica(backend, replica);
	s->items = xrealloc(s->items, (s->n + 1) * sizeof(*s->items));
	s->items[s->n++] = fresh;
	return fresh.name;
}

static void forget_names(struct slices *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].backend);
		free(s->items[i].replica);
		free(s->items[i].name);
	}
	s->n = 0;
}

void slices_trim(struct slices *s)
{
	if (s->n > SLICES_LIMIT) {
		forget_names(s);
	}
}

void slices_finish(struct slices *s)
{
	forget_names(s);
	free(s->items);
	*s = (struct slices){0};
}
