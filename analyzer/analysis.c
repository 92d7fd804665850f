#include "analyzer/analysis.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/causes/cause_verdict.h"
#include "analyzer/rows/repeats.h"
#include "base/mem.h"

/* Parts for each thread; more than one, because parts take different times. */
#define PARTS 2

/* What all threads share. The tasks are the parts; with several parts, cross-talk is one more
 * task and comes first. */
struct shared {
	const struct analysis_options *options;
	uint64_t chosen; /* exchanges */
	unsigned parts;
	atomic_uint next;     /* task */
	pthread_mutex_t lock; /* of what follows */
	/* receives the rows of all threads, in the order in which they arrive */
	struct analysis *sums;
};

struct worker {
	struct shared *shared;
	struct capture *capture;
	bool progress;
	pthread_t thread;
};

static void take(void *arg, const struct row *row, const struct pair_texts *texts)
{
	struct shared *t = arg;
	pthread_mutex_lock(&t->lock);
	fold_row(t->sums, row, texts);
	pthread_mutex_unlock(&t->lock);
}

static void read_part(struct worker *w, unsigned number)
{
	struct analysis_options options = *w->shared->options;
	struct exchange_counts counts;
	struct repeat_counts repeats;
	struct shared *t = w->shared;
	const struct row_sink sink = {ALL_ROWS, take, t};
	options.part = (struct part){number, t->parts};
	options.progress = w->progress;
	capture_walk_rows(w->capture, &options, t->chosen, &sink, &counts, &repeats);
	pthread_mutex_lock(&t->lock);
	fold_counts(t->sums, &counts, &repeats);
	pthread_mutex_unlock(&t->lock);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct shared *t = w->shared;
	for (unsigned task; (task = atomic_fetch_add(&t->next, 1)) <= t->parts;) {
		if (task > 0) {
			read_part(w, task);
		} else if (t->parts > 1) {
			const struct row_sink sink = {ALL_ROWS, take, t};
			capture_walk_crosstalk(w->capture, t->options, &sink);
		}
	}
	return NULL;
}

static bool start(struct worker *w, struct shared *t, const struct capture *c)
{
	*w = (struct worker){.shared = t, .capture = capture_open_again(c)};
	if (w->capture && pthread_create(&w->thread, NULL, work, w) != 0) {
		capture_close(w->capture);
		w->capture = NULL;
	}
	return w->capture;
}

static void run(struct capture *c, struct shared *t, unsigned threads)
{
	struct worker *others = xcalloc(threads, sizeof(*others));
	struct worker self = {.shared = t, .capture = c, .progress = t->options->progress};
	unsigned n = 0;
	while (n + 1 < threads && start(&others[n], t, c)) {
		n++;
	}
	work(&self);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(others[i].thread, NULL);
		capture_add_damage(c, others[i].capture);
		capture_close(others[i].capture);
	}
	free(others);
}

static bool lacks_floor(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		if (!g->is_floor && g->excess.pairs[EXCESS_BETWEEN] > 0 &&
		        excess_ground(&g->excess) != EXCESS_GROUND_BOTH) {
			return true;
		}
	}
	return false;
}

static bool has_greedy_pairs(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_groups; i++) {
		if (group_has(&a->groups[i], DECODING_GREEDY)) {
			return true;
		}
	}
	return false;
}

/* The scores of the base's answers by its own engine; NULL: there are none. */
static const struct scores *floor_of(const struct analysis *a, const struct analysis_group *of)
{
	for (size_t i = 0; i < a->n_groups && !of->is_floor; i++) {
		const struct analysis_group *g = &a->groups[i];
		if (g->is_floor && g->scores.legs > 0 && strcmp(g->test, of->base) == 0) {
			return &g->scores;
		}
	}
	return NULL;
}

static void find_repeated(const struct analysis *a, struct advice_engine *e)
{
	char *again = xasprintf("%s" ADVICE_AGAIN, e->name);
	e->has_again = traffic_has_backend(&a->traffic, again);
	free(again);
}

void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects)
{
	/* Scores of greedy answers decide only if no greedy answers are compared. */
	bool greedy = !has_greedy_pairs(a);
	draws_settle(&a->draws);
	for (size_t i = 0; i < a->n_groups; i++) {
		struct analysis_group *g = &a->groups[i];
		g->is_judged =
		        g->legs > 0 || g->scores.processed > 0 || scores_decide(&g->scores, greedy);
	}
	if (a->n_groups > 0) {
		qsort(a->groups, a->n_groups, sizeof(*a->groups), group_compare);
	}
	if (!lacks_floor(a)) {
		a->repeated = (struct repeat_counts){0};
	}
	a->repeats_sampled = a->repeated.prompts > 0 && a->counts.chosen > REPEATS_EXCHANGES;
	for (size_t i = 0; i < a->n_groups; i++) {
		a->groups[i].draws = &a->draws;
		a->groups[i].of_base = floor_of(a, &a->groups[i]);
		a->groups[i].place = place;
		a->groups[i].least_effects = least_effects;
		find_repeated(a, &a->groups[i].causes.of[SIDE_BASE].engine);
		find_repeated(a, &a->groups[i].causes.of[SIDE_TEST].engine);
		group_settle(&a->groups[i]);
		causes_judge(&a->groups[i]);
	}
	for (size_t i = 0; i < a->n_groups; i++) {
		scores_judge(&a->groups[i].scores, greedy, a->groups[i].of_base);
	}
	traffic_settle(&a->traffic);
}

void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret)
{
	unsigned threads = MAX(options->jobs, 1u);
	uint64_t resendable;
	struct shared shared = {
	        .options = options,
	        .chosen = capture_walk_count(c, options, &resendable),
	        .parts = threads > 1 ? PARTS * threads : 1,
	        .lock = PTHREAD_MUTEX_INITIALIZER,
	        .sums = ret,
	};
	*ret = (struct analysis){
	        .exhibits = options->exhibits,
	        .by = options->by,
	        .selection = options->selection,
	};
	if (options->place) {
		options->place->has_no_requests = shared.chosen > 0 && resendable == 0;
	}
	run(c, &shared, threads);
	analysis_settle(ret, options->place, options->least_effects);
	capture_figures(c, &ret->figures);
}
