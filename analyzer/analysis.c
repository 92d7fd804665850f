#include "analyzer/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/analysis_exchange.h"
#include "analyzer/analysis_jobs.h"
#include "analyzer/fold.h"
#include "analyzer/repeat_floor.h"
#include "analyzer/sampled.h"
#include "base/clock.h"
#include "base/mem.h"

#define PROGRESS_INTERVAL UINT64_C(500000000)

struct analysis_group *analysis_group_named(struct analysis *a, const char *base, const char *test)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		struct analysis_group *g = &a->groups[i];
		if (strcmp(g->base, base) == 0 && strcmp(g->test, test) == 0) {
			return g;
		}
	}
	return NULL;
}

struct analysis_group *analysis_group(struct analysis *a, const struct group_key *key)
{
	struct analysis_group *known = analysis_group_named(a, key->base, key->test);
	if (known || a->n_groups == ANALYSIS_GROUPS_LIMIT) {
		return known;
	}
	a->groups = xrealloc(a->groups, (a->n_groups + 1) * sizeof(*a->groups));
	struct analysis_group *fresh = &a->groups[a->n_groups++];
	memset(fresh, 0, sizeof(*fresh));
	fresh->base = xstrdup(key->base);
	fresh->test = xstrdup(key->test);
	fresh->base_role = key->base_role;
	fresh->test_role = key->test_role;
	fresh->is_floor = key->is_floor;
	return fresh;
}

/* Exchanges are summed up in blocks, and the blocks in their order, by one thread or by many: so sums
 * of floating-point numbers do not depend on who made them. */
static void merge(struct analysis *a, struct analysis *block)
{
	exchange_counts_merge(&a->counts, &block->counts);
	a->ungrouped += block->ungrouped;
	for (size_t i = 0; i < block->n_groups; i++) {
		const struct analysis_group *like = &block->groups[i];
		const struct group_key key = {
		        like->base, like->test, like->base_role, like->test_role, like->is_floor};
		struct analysis_group *g = analysis_group(a, &key);
		if (g) {
			group_merge(g, &block->groups[i], &a->words);
		} else {
			a->ungrouped += block->groups[i].legs;
		}
	}
	forced_merge(&a->forced, &block->forced);
	slices_merge_stacks(&a->slices, &block->slices);
	traffic_merge(&a->traffic, &block->traffic);
	timed_legs_merge(&a->timed, &block->timed);
	repeats_merge(&a->repeats, &block->repeats);
	repeats_merge(&a->samples, &block->samples);
}

static void show_progress(FILE *to, const struct analysis *a, uint64_t *ret_shown, uint64_t began)
{
	uint64_t now = to ? clock_mono() : 0;
	if (now > began + 2 * PROGRESS_INTERVAL && now > *ret_shown + PROGRESS_INTERVAL) {
		*ret_shown = now;
		fprintf(to, "\r%llu exchanges read ", (unsigned long long)a->counts.chosen);
		fflush(to);
	}
}

struct run {
	struct analysis *to;
	FILE *progress;
	uint64_t began, shown;
};

static void take_block(void *arg, struct analysis *block)
{
	struct run *r = arg;
	merge(r->to, block);
	show_progress(r->progress, r->to, &r->shown, r->began);
}

/* False: the capture ended. */
static bool run_block(struct exchange_folder *f, struct analysis *block)
{
	struct capture_exchange e;
	for (size_t i = 0; i < ANALYSIS_BLOCK; i++) {
		if (capture_next(f->maker.capture, &e) != 1) {
			return false;
		}
		exchange_folder_add(f, block, &e);
		capture_exchange_finish(&e);
	}
	return true;
}

static void run_alone(struct capture *c, const struct analysis_options *options, struct run *r)
{
	struct exchange_folder folder;
	exchange_folder_init(&folder, c, options, &r->to->slices);
	for (bool more = true; more;) {
		struct analysis block = {0};
		more = run_block(&folder, &block);
		take_block(r, &block);
		analysis_finish(&block);
	}
	exchange_folder_finish(&folder);
}

static void take_times(void *arg, const struct times_row *row)
{
	fold_times(arg, row);
}

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret)
{
	*ret = (struct analysis){.slices.by = options->by,
	        .selection = options->selection,
	        .samples.most = REPEATS_OF_SAMPLED};
	struct run run = {.to = ret, .progress = options->progress, .began = clock_mono()};
	bool several = options->jobs > 1 && options->by == SLICE_NONE;
	if (!several || !analysis_jobs_run(c, options, take_block, &run)) {
		run_alone(c, options, &run);
	}
	repeat_floor_judge(c, options, ret);
	sampled_judge(c, options, ret);
	const struct row_sink sink = {.arg = ret, .times = take_times};
	timed_legs_rows(&ret->timed, c, &sink);
	traffic_settle(&ret->traffic);
	if (run.shown) {
		fputs("\r\033[K", options->progress);
	}
	for (size_t i = 0; i < ret->n_groups; i++) {
		ret->groups[i].place = options->place;
		ret->groups[i].least_effects = options->least_effects;
		group_settle(&ret->groups[i], &ret->words);
	}
	cause_words_finish(&ret->words);
	forced_settle(&ret->forced);
	capture_figures(c, &ret->figures);
}

void analysis_finish(struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		group_finish(&a->groups[i]);
	}
	free(a->groups);
	slices_finish(&a->slices);
	forced_finish(&a->forced);
	traffic_finish(&a->traffic);
	timed_legs_finish(&a->timed);
	repeats_finish(&a->repeats);
	repeats_finish(&a->samples);
	*a = (struct analysis){0};
}

bool analysis_has_trials(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		if (!a->groups[i].is_floor) {
			return true;
		}
	}
	return false;
}

uint64_t analysis_compared(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		bool counts = !trials || !a->groups[i].is_floor;
		n += counts ? a->groups[i].by[DECODING_GREEDY].pairs : 0;
	}
	return n;
}

uint64_t analysis_sampled(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		bool counts = !trials || !a->groups[i].is_floor;
		n += counts ? a->groups[i].by[DECODING_SAMPLED].pairs : 0;
	}
	return n;
}

uint64_t analysis_differing(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	uint64_t n = 0;
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct metrics *m = &a->groups[i].by[DECODING_GREEDY];
		n += !trials || !a->groups[i].is_floor ? m->pairs - m->equal : 0;
	}
	return n;
}
