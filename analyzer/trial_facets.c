#include "analyzer/trial_facets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

struct target {
	struct facets *facets;
	struct facet_source of;
	const struct tally_facts *facts;
};

static void add(const struct target *to, enum facet_kind kind, const char *name, double level)
{
	facets_add(to->facets, kind, name, level, to->of, to->facts);
}

static bool add_at(const struct target *to, enum facet_kind kind, double level)
{
	return facets_add_at(to->facets, kind, level, to->of, to->facts);
}

/* A number falls into the range from one power of a base to the next. */
static void add_range(
        const struct target *to, enum facet_kind kind, uint64_t value, uint64_t first, uint64_t by)
{
	uint64_t from = 0, until = first;
	char name[FACET_NAME_SIZE];
	while (value >= until && until < UINT64_MAX / by) {
		from = until;
		until *= by;
	}
	if (add_at(to, kind, (double)from)) {
		return;
	}
	if (until - from == 1) {
		snprintf(name, sizeof(name), "%" PRIu64, from);
	} else {
		snprintf(name, sizeof(name), "%" PRIu64 "-%" PRIu64, from, until - 1);
	}
	add(to, kind, name, (double)from);
}

static void add_time(const struct target *to, uint64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm when;
	char name[FACET_NAME_SIZE];
	uint64_t hour = wall_ms / 3600000;
	if (!add_at(to, FACET_TIME, (double)hour) && gmtime_r(&seconds, &when) &&
	        strftime(name, sizeof(name), "%Y-%m-%d %H:00", &when)) {
		add(to, FACET_TIME, name, (double)hour);
	}
}

static void add_stack(const struct target *to, struct id manifest)
{
	char text[ID_TEXT_SIZE];
	if (!id_is_zero(manifest)) {
		add(to, FACET_STACK, id_format(manifest, text), NAN);
	}
}

void trial_facets(struct facets *f, const struct capture_exchange *e, const char *category,
        size_t base, size_t test, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const struct tally_facts *facts)
{
	const struct target to = {f, {cluster, NULL}, facts};
	const struct leg_row *b = &e->legs[base].row, *t = &e->legs[test].row;
	const char *replica = t->replica ? t->replica : t->fingerprint;
	const struct exchange_labels *labels = &e->row.labels;
	add(&to, FACET_CATEGORY, labels->category ? labels->category : category, NAN);
	if (labels->suite) {
		add(&to, FACET_SUITE, labels->suite, NAN);
	}
	if (!e->absent) {
		add(&to, FACET_ENDPOINT, endpoint_name(e->row.endpoint), NAN);
		add(&to, FACET_STREAMED, e->row.streamed ? "streamed" : "unary", NAN);
	}
	if (e->row.model) {
		add(&to, FACET_MODEL, e->row.model, NAN);
	}
	if (b->usage.prompt_tokens >= 0) {
		add_range(&to, FACET_PROMPT_LENGTH, (uint64_t)b->usage.prompt_tokens, 64, 4);
	}
	if (t->usage.cached_tokens >= 0) {
		add(&to, FACET_CACHE, t->usage.cached_tokens > 0 ? "cached" : "not cached", NAN);
	}
	if (t->in_flight > 0) {
		add_range(&to, FACET_LOAD, t->in_flight, 1, 2);
	}
	if (replica) {
		add(&to, FACET_REPLICA, replica, NAN);
	}
	if (t->role == ROLE_PRIMARY || b->role == ROLE_PRIMARY) {
		const struct leg_row *primary = t->role == ROLE_PRIMARY ? t : b;
		bool injected = primary->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE);
		add(&to, FACET_INJECTION, injected ? "injected" : "as asked", NAN);
	}
	add_stack(&to, t->manifest);
	add_time(&to, id_time_ms(e->row.id));
}
