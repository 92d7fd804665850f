#include "analyzer/fold/facet_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* Where the answers of a row are added. */
struct target {
	struct facets *facets;
	struct facet_source of;
	const struct pair_facts *facts;
};

static void add(const struct target *t, enum facet_kind kind, const char *name, double level)
{
	facets_add(t->facets, kind, name, level, t->of, t->facts);
}

/* NULL: it has none. */
static void add_name(const struct target *t, enum facet_kind kind, const char *name)
{
	if (name) {
		add(t, kind, name, NAN);
	}
}

/* A number falls into the range from one power of a base to the next. */
static void add_range(
        const struct target *t, enum facet_kind kind, uint64_t value, uint64_t first, uint64_t by)
{
	uint64_t from = 0, until = first;
	char name[FACET_NAME_SIZE];
	while (value >= until && until < UINT64_MAX / by) {
		from = until;
		until *= by;
	}
	if (until - from == 1) {
		snprintf(name, sizeof(name), "%" PRIu64, from);
	} else {
		snprintf(name, sizeof(name), "%" PRIu64 "-%" PRIu64, from, until - 1);
	}
	add(t, kind, name, (double)from);
}

static void add_time(const struct target *t, uint64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm when;
	char name[FACET_NAME_SIZE];
	uint64_t hour = wall_ms / 3600000;
	if (gmtime_r(&seconds, &when) && strftime(name, sizeof(name), "%Y-%m-%d %H:00", &when)) {
		add(t, FACET_TIME, name, (double)hour);
	}
}

static void add_stack(const struct target *t, struct id manifest)
{
	char text[ID_TEXT_SIZE];
	if (!id_is_zero(manifest)) {
		add(t, FACET_STACK, id_format(manifest, text), NAN);
	}
}

static void add_injection(const struct target *t, const struct row_side *side)
{
	if (side->role == ROLE_PRIMARY) {
		add_name(t, FACET_INJECTION, side->injected ? "injected" : "as asked");
	}
}

void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct row_exchange *e = &row->exchange;
	const struct row_side *base = &row->base, *test = &row->test;
	const struct target t = {f, {e->cluster, NULL}, facts};
	add_name(&t, FACET_CATEGORY, e->category ? e->category : e->question);
	add_name(&t, FACET_SUITE, e->suite);
	if (!e->absent) {
		add_name(&t, FACET_ENDPOINT, endpoint_name(e->endpoint));
		add_name(&t, FACET_STREAMED, e->streamed ? "streamed" : "unary");
	}
	add_name(&t, FACET_MODEL, e->model);
	if (base->prompt_tokens >= 0) {
		add_range(&t, FACET_PROMPT_LENGTH, (uint64_t)base->prompt_tokens, 64, 4);
	}
	if (test->cached_tokens >= 0) {
		add_name(&t, FACET_CACHE, test->cached_tokens > 0 ? "cached" : "not cached");
	}
	if (test->in_flight > 0) {
		add_range(&t, FACET_LOAD, test->in_flight, 1, 2);
	}
	add_name(&t, FACET_REPLICA, test->replica);
	add_injection(&t, test->role == ROLE_PRIMARY ? test : base);
	add_stack(&t, test->stack);
	add_time(&t, id_time_ms(e->id));
}
