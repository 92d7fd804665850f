#include "analyzer/trial_facets.h"

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

void trial_facets(struct facets *f, const struct capture_exchange *e, const char *category,
        size_t base, size_t test, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct tally_facts *facts)
{
	const struct leg_row *b = &e->legs[base].row, *t = &e->legs[test].row;
	const char *replica = t->replica ? t->replica : t->fingerprint;
	const struct exchange_labels *labels = &e->row.labels;
	facets_choose(f, FACET_CATEGORY, labels->category ? labels->category : category, NAN);
	if (labels->suite) {
		facets_choose(f, FACET_SUITE, labels->suite, NAN);
	}
	if (!e->absent) {
		facets_choose(f, FACET_ENDPOINT, endpoint_name(e->row.endpoint), NAN);
		facets_choose(f, FACET_STREAMED, e->row.streamed ? "streamed" : "unary", NAN);
	}
	if (e->row.model) {
		facets_choose(f, FACET_MODEL, e->row.model, NAN);
	}
	if (b->usage.prompt_tokens >= 0) {
		choose_range(f, FACET_PROMPT_LENGTH, (uint64_t)b->usage.prompt_tokens, 64, 4);
	}
	if (t->usage.cached_tokens >= 0) {
		facets_choose(
		        f, FACET_CACHE, t->usage.cached_tokens > 0 ? "cached" : "not cached", NAN);
	}
	if (t->in_flight > 0) {
		choose_range(f, FACET_LOAD, t->in_flight, 1, 2);
	}
	if (replica) {
		facets_choose(f, FACET_REPLICA, replica, NAN);
	}
	if (t->role == ROLE_PRIMARY || b->role == ROLE_PRIMARY) {
		const struct leg_row *primary = t->role == ROLE_PRIMARY ? t : b;
		bool injected = primary->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE);
		facets_choose(f, FACET_INJECTION, injected ? "injected" : "as asked", NAN);
	}
	choose_stack(f, t->manifest);
	choose_time(f, id_time_ms(e->row.id));
	facets_add_chosen(f, (struct facet_source){cluster, NULL}, facts);
}
