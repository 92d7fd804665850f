#include "capture/run_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/did_you_mean.h"
#include "base/mem.h"
#include "base/moment.h"

#define LIST_LIMIT 8 /* list items shown in a message */

static const char *name_of(const struct leg_row *leg)
{
	return leg->backend ? leg->backend : "";
}

static void add_leg(struct run_index *r, const struct leg_row *leg)
{
	struct run_index_entry *e = NULL;
	for (size_t i = r->n; i > 0 && !e; i--) {
		struct run_index_entry *each = &r->entries[i - 1];
		if (id_compare(each->run, leg->run) == 0 &&
		        strcmp(each->backend, name_of(leg)) == 0) {
			e = each;
		}
	}
	if (!e && r->n == RUN_INDEX_LIMIT) {
		r->beyond++;
		return;
	}
	if (!e) {
		r->entries = xrealloc(r->entries, (r->n + 1) * sizeof(*r->entries));
		e = &r->entries[r->n++];
		*e = (struct run_index_entry){
		        .backend = xstrdup(name_of(leg)),
		        .role = leg->role,
		        .run = leg->run,
		        .first_ns = leg->start_ns,
		};
	}
	e->legs++;
	e->first_ns = MIN(e->first_ns, leg->start_ns);
	e->last_ns = MAX(e->last_ns, leg->start_ns);
}

static bool is_in(char *const names[], const char *name)
{
	while (*names && strcmp(*names, name) != 0) {
		names++;
	}
	return *names;
}

static void add_name(char *names[], size_t *n, const char *name)
{
	if (*n < RUN_INDEX_NAMES && !is_in(names, name)) {
		names[(*n)++] = xstrdup(name);
	}
}

/* Returns a run's age: the start time of its first leg with any backend. */
static uint64_t age_of(const struct run_index *r, struct id run)
{
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < r->n; i++) {
		if (id_compare(r->entries[i].run, run) == 0) {
			first = MIN(first, r->entries[i].first_ns);
		}
	}
	return first;
}

struct aged {
	struct run_index_entry entry;
	uint64_t age;
};

static int by_age(const void *a, const void *b)
{
	const struct aged *x = a, *y = b;
	if (x->age != y->age) {
		return x->age < y->age ? -1 : 1;
	}
	int order = id_compare(x->entry.run, y->entry.run);
	return order ? order : strcmp(x->entry.backend, y->entry.backend);
}

static void put_in_order(struct run_index *r)
{
	struct aged *aged = xcalloc(r->n + 1, sizeof(*aged));
	for (size_t i = 0; i < r->n; i++) {
		aged[i] = (struct aged){r->entries[i], age_of(r, r->entries[i].run)};
	}
	qsort(aged, r->n, sizeof(*aged), by_age);
	for (size_t i = 0; i < r->n; i++) {
		bool same = i > 0 && id_compare(aged[i].entry.run, aged[i - 1].entry.run) == 0;
		r->runs += !same;
		r->entries[i] = aged[i].entry;
		r->entries[i].number = r->runs;
	}
	free(aged);
}

void run_index_read(struct run_index *r, struct capture *c)
{
	struct capture_exchange e;
	*r = (struct run_index){0};
	capture_rewind(c);
	while (capture_next(c, &e) == 1) {
		if (e.row.model) {
			add_name(r->models, &r->n_models, e.row.model);
		}
		for (size_t i = 0; i < e.n_legs; i++) {
			const struct leg_row *leg = &e.legs[i].row;
			if (leg->marks & LEG_SCORED) {
				add_name(r->scorers, &r->n_scorers, name_of(leg));
			} else {
				add_leg(r, leg);
			}
		}
		capture_exchange_finish(&e);
	}
	capture_rewind(c);
	put_in_order(r);
}

void run_index_finish(struct run_index *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->entries[i].backend);
	}
	for (size_t i = 0; i < RUN_INDEX_NAMES; i++) {
		free(r->models[i]);
		free(r->scorers[i]);
	}
	free(r->entries);
	*r = (struct run_index){0};
}

static bool is_new_name(const struct run_index *r, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (strcmp(r->entries[i].backend, r->entries[at].backend) == 0) {
			return false;
		}
	}
	return true;
}

char *run_index_check(const struct run_index *r, const char *backend)
{
	const char **names = xcalloc(r->n + 1, sizeof(*names));
	size_t n = 0;
	bool known = is_in(r->scorers, backend);
	for (size_t i = 0; i < r->n; i++) {
		known = known || strcmp(r->entries[i].backend, backend) == 0;
		if (is_new_name(r, i)) {
			names[n++] = r->entries[i].backend;
		}
	}
	char *problem = NULL;
	if (!known) {
		struct buf all = {0};
		const char *near = nearest_word(backend, names);
		buf_printf(&all, "the capture has no answers of %.60s%s%s those of ", backend,
		        did_you_mean("", near).text, near ? " It has" : "; it has");
		for (size_t i = 0; i < MIN(n, (size_t)LIST_LIMIT); i++) {
			buf_printf(&all, "%s%.60s", i ? ", " : "", names[i]);
		}
		if (n > LIST_LIMIT) {
			buf_printf(&all, " and %zu more", n - LIST_LIMIT);
		}
		problem = buf_steal(&all);
	}
	free(names);
	return problem;
}

static bool is_of(const struct run_index_entry *e, const char *backend)
{
	return !backend || strcmp(e->backend, backend) == 0;
}

static char *which_runs(
        const struct run_index *r, const char *backend, const char *name, const char *what)
{
	struct buf all = {0};
	char from[MOMENT_TEXT_SIZE], id[ID_TEXT_SIZE];
	size_t shown = 0, n = 0;
	buf_printf(&all, "%.60s %s%s%s", name, what, backend ? " of " : "", backend ? backend : "");
	unsigned last = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct run_index_entry *e = &r->entries[i];
		if (!is_of(e, backend) || e->number == last) {
			continue;
		}
		last = e->number;
		if (n++ < LIST_LIMIT) {
			buf_printf(&all, "%s%u (%s, from %s)", shown++ ? ", " : "; there are ",
			        e->number, id_format(e->run, id), moment_format(e->first_ns, from));
		}
	}
	if (n > LIST_LIMIT) {
		buf_printf(&all, " and %zu more, which capture ls --runs lists", n - LIST_LIMIT);
	}
	return buf_steal(&all);
}

/* Parses "3", "first" or "last". 0: no such run. */
static unsigned number_of(const struct run_index *r, const char *backend, const char *name)
{
	unsigned first = 0, last = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (is_of(&r->entries[i], backend)) {
			last = r->entries[i].number;
			first = first ? first : last;
		}
	}
	if (strcmp(name, "first") == 0 || strcmp(name, "last") == 0) {
		return *name == 'f' ? first : last;
	}
	/* Ids begin with digits as well, but are longer than any number of runs. */
	bool digits = *name && strspn(name, "0123456789") == strlen(name) && strlen(name) <= 4;
	return digits ? (unsigned)strtoul(name, NULL, 10) : 0;
}

char *run_index_find(
        const struct run_index *r, const char *backend, const char *name, struct id *ret)
{
	unsigned number = number_of(r, backend, name);
	const struct run_index_entry *found = NULL;
	for (size_t i = 0; i < r->n; i++) {
		const struct run_index_entry *e = &r->entries[i];
		bool matches = number ? e->number == number : id_matches(e->run, name);
		if (!is_of(e, backend) || !matches) {
			continue;
		}
		if (found && id_compare(found->run, e->run) != 0) {
			return which_runs(r, backend, name, "is a part of the ids of several runs");
		}
		found = e;
	}
	if (!found) {
		return which_runs(r, backend, name, "is no run");
	}
	*ret = found->run;
	return NULL;
}
