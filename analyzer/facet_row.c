#include "analyzer/facet_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* A number falls into the range from one power of a base to the next. */
static void choose_range(
        struct facets *f, enum facet_kind kind, uint64_t value, uint64_t first, uint64_t by)
{
	uint64_t from = 0, until = first;
	char name[FACET_NAME_SIZE];
	while (value >= until && until < UINT64_MAX / by) {
		from = until;
		until *= by;
	}
	if (facets_choose_at(f, kind, (double)from)) {
		return;
	}
	if (until - from == 1) {
		snprintf(name, sizeof(name), "%" PRIu64, from);
	} else {
		snprintf(name, sizeof(name), "%" PRIu64 "-%" PRIu64, from, until - 1);
	}
	facets_choose(f, kind, name, (double)from);
}

static void choose_time(struct facets *f, uint64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm when;
	char name[FACET_NAME_SIZE];
	uint64_t hour = wall_ms / 3600000;
	if (!facets_choose_at(f, FACET_TIME, (double)hour) && gmtime_r(&seconds, &when) &&
	        strftime(name, sizeof(name), "%Y-%m-%d %H:00", &when)) {
		facets_choose(f, FACET_TIME, name, (double)hour);
	}
}

static void choose_stack(struct facets *f, struct id manifest)
{
	char text[ID_TEXT_SIZE];
	if (!id_is_zero(manifest)) {
		facets_choose(f, FACET_STACK, id_format(manifest, text), NAN);
	}
}

/* NULL: it has none. */
static void choose_name(struct facets *f, enum facet_kind kind, const char *name)
{
	if (name) {
		facets_choose(f, kind, name, NAN);
	}
}

static void choose_injection(struct facets *f, const struct row_side *side)
{
	if (side->role == ROLE_PRIMARY) {
		choose_name(f, FACET_INJECTION, side->injected ? "injected" : "as asked");
	}
}

void facets_add_row(struct facets *f, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct row_exchange *e = &row->exchange;
	const struct row_side *base = &row->base, *test = &row->test;
	choose_name(f, FACET_CATEGORY, e->category ? e->category : e->question);
	choose_name(f, FACET_SUITE, e->suite);
	if (!e->absent) {
		choose_name(f, FACET_ENDPOINT, endpoint_name(e->endpoint));
		choose_name(f, FACET_STREAMED, e->streamed ? "streamed" : "unary");
	}
	choose_name(f, FACET_MODEL, e->model);
	if (base->prompt_tokens >= 0) {
		choose_range(f, FACET_PROMPT_LENGTH, (uint64_t)base->prompt_tokens, 64, 4);
	}
	if (test->cached_tokens >= 0) {
		choose_name(f, FACET_CACHE, test->cached_tokens > 0 ? "cached" : "not cached");
	}
	if (test->in_flight > 0) {
		choose_range(f, FACET_LOAD, test->in_flight, 1, 2);
	}
	choose_name(f, FACET_REPLICA, test->replica);
	choose_injection(f, test->role == ROLE_PRIMARY ? test : base);
	choose_stack(f, test->stack);
	choose_time(f, id_time_ms(e->id));
	facets_add_chosen(f, (struct facet_source){e->cluster, NULL}, facts);
}
