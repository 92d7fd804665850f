#include "replay/campaign/replay_notice.h"
#include "base/plural.h"

#include <inttypes.h>

#define VALUES_TOLD 8

void replay_notice_unfit(const struct replay_job *j)
{
	const struct error_tally *r = &j->unreplayable;
	for (size_t i = 0; i < r->n; i++) {
		uint64_t n = error_tally_of_kind(r, i);
		bool placed = r->items[i].kind > r->items[i].why;
		if (n > 0) {
			fprintf(stderr, "plumbline %s: %" PRIu64 " %s can't be sent%s %s\n",
			        j->o->backend.command, n, plural(n, "request", "requests"),
			        n > 1 && placed ? ", the first at" : ":", r->items[i].why);
		}
	}
}

/* Prints the values that a filter chose from. */
static void print_values(const struct filter *f, const struct error_tally *values, FILE *to)
{
	fprintf(to, "  --where %s%s=%s", filter_key_name(f->key), f->not ? "!" : "", f->value);
	for (size_t i = 0; i < MIN(values->n, (size_t)VALUES_TOLD); i++) {
		fprintf(to, "%s%s (%" PRIu64 ")", i ? ", " : ": the values are ",
		        values->items[i].why, values->items[i].n);
	}
	fputs(values->n > VALUES_TOLD ? " and others\n" : "\n", to);
}

void replay_notice_nothing(const struct replay_job *j, FILE *to)
{
	const struct source_scan *scan = &j->scan;
	const struct filters *f = &scan->rules->filters;
	if (scan->found == 0) {
		fprintf(to, "Nothing to send: %s has no request.\n", j->o->source);
	} else if (scan->not_chosen == 0) {
		fprintf(to, "Nothing to send: no request of %s can be sent.\n", j->o->source);
	} else {
		fprintf(to,
		        "Nothing to send: of %" PRIu64 " %s of %s, %" PRIu64 " %s not selected%s\n",
		        scan->found, plural(scan->found, "request", "requests"), j->o->source,
		        scan->not_chosen, plural(scan->not_chosen, "was", "were"),
		        f->n ? ":" : ".");
	}
	for (size_t i = 0; i < f->n && scan->not_chosen > 0; i++) {
		print_values(&f->items[i], &scan->values[i], to);
	}
}

void replay_notice_load(const struct replay_job *j)
{
	const struct replay_options *o = j->o;
	bool alone = o->concurrency == 1 || (o->concurrency == 0 && o->load == LOAD_CLOSED);
	for (size_t i = 0; i < j->n_backends && !alone; i++) {
		const struct target *t = &j->backends[i].target;
		if (t->dialect->abilities & ABILITY_ONE_AT_A_TIME) {
			fprintf(stderr,
			        "plumbline %s: a second request may break off a running answer of "
			        "%s, the engine of %s: --concurrency 1 sends one at a time\n",
			        o->backend.command, t->dialect->title, t->name);
		}
	}
}

/* A warm-up that leaves nothing to measure is probably a mistake. */
void replay_notice_warm_up(const struct replay_job *j)
{
	uint64_t left = j->plan.n_sends - j->report.before;
	if (left > 0 && j->o->warm_up >= left) {
		fprintf(stderr,
		        "plumbline %s: --warm-up %" PRIu64 " takes all %" PRIu64
		        " requests: nothing will be measured\n",
		        j->o->backend.command, j->o->warm_up, left);
	}
}
