#include "analyzer/slice.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/names.h"
#include "backends/manifest.h"
#include "base/mem.h"

#define NAME_LIMIT 64
#define STACKS_SEEN ARRAY_LEN(((struct slice_stacks *)NULL)->seen)

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* What a file says goes to a terminal. */
static char *printable(const char *text)
{
	char *copy = xstrndup(text, NAME_LIMIT);
	for (char *p = copy; *p; p++) {
		*p = *p < ' ' || *p > '~' ? '?' : *p;
	}
	return copy;
}

static bool name_is_taken(const struct slices *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->items[i].name, name) == 0) {
			return true;
		}
	}
	return false;
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
	char *text = xasprintf("%s%s%s, from %s", m->dialect->name, version ? " " : "",
	        version ? version : "", from);
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

static char *make_name(
        struct slices *s, struct capture *c, const char *backend, const struct slice *of)
{
	bool stack = s->by == SLICE_STACK;
	char *what = stack         ? slices_stack_name(c, of->stack, false)
	             : of->replica ? printable(of->replica)
	                           : xstrdup("unknown replica");
	what = what ? what : xstrdup("unknown stack");
	char *name = xasprintf("%s [%s]", backend, what);
	/* Two stacks of the same version within a minute. */
	for (unsigned n = 2; name_is_taken(s, name); n++) {
		free(name);
		name = xasprintf("%s [%s, #%u]", backend, what, n);
	}
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
	if (s->n == SLICES_LIMIT) {
		return backend;
	}
	struct slice fresh = {
	        .backend = xstrdup(backend),
	        .stack = stack,
	        .replica = replica ? xstrdup(replica) : NULL,
	};
	fresh.name = make_name(s, c, backend, &fresh);
	s->items = xrealloc(s->items, (s->n + 1) * sizeof(*s->items));
	s->items[s->n++] = fresh;
	return fresh.name;
}

static struct slice_stacks *stacks_of(struct slices *s, const char *backend)
{
	for (size_t i = 0; i < s->n_stacks; i++) {
		if (strcmp(s->stacks[i].backend, backend) == 0) {
			return &s->stacks[i];
		}
	}
	if (s->n_stacks == SLICES_LIMIT) {
		return NULL;
	}
	s->stacks = xrealloc(s->stacks, (s->n_stacks + 1) * sizeof(*s->stacks));
	struct slice_stacks *fresh = &s->stacks[s->n_stacks++];
	*fresh = (struct slice_stacks){.backend = xstrdup(backend)};
	return fresh;
}

static void note(struct slices *s, const char *backend, struct id stack)
{
	struct slice_stacks *of = id_is_zero(stack) ? NULL : stacks_of(s, backend);
	if (!of || of->n == STACKS_SEEN) {
		return;
	}
	for (size_t i = 0; i < of->n; i++) {
		if (id_compare(of->seen[i], stack) == 0) {
			return;
		}
	}
	of->seen[of->n++] = stack;
}

void slices_note(struct slices *s, const struct leg_row *leg)
{
	note(s, names_of_backend(leg), leg->manifest);
}

void slices_merge_stacks(struct slices *s, const struct slices *other)
{
	for (size_t i = 0; i < other->n_stacks; i++) {
		const struct slice_stacks *from = &other->stacks[i];
		for (size_t k = 0; k < from->n; k++) {
			note(s, from->backend, from->seen[k]);
		}
	}
}

void slices_finish(struct slices *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].backend);
		free(s->items[i].replica);
		free(s->items[i].name);
	}
	for (size_t i = 0; i < s->n_stacks; i++) {
		free(s->stacks[i].backend);
	}
	free(s->items);
	free(s->stacks);
	*s = (struct slices){0};
}
