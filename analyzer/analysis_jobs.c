#include "analyzer/analysis_jobs.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyzer/analysis_exchange.h"
#include "base/mem.h"

#define HELD 4 /* blocks a worker */

struct block {
	struct id from, until; /* the first exchange and the last one */
	bool done;
	struct analysis analysis;
};

struct jobs {
	const struct analysis_options *options;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct block *blocks; /* a ring; numbers count on */
	size_t room;
	uint64_t pushed, taken, merged;
	bool ended; /* no more blocks will come */
};

struct worker {
	struct jobs *jobs;
	struct capture *capture;
	pthread_t thread;
};

static void judge_block(struct exchange_folder *f, struct block *b)
{
	struct capture_exchange e;
	bool last = false;
	capture_seek(f->maker.capture, b->from);
	while (!last && capture_next(f->maker.capture, &e) == 1) {
		int order = id_compare(e.row.id, b->until);
		last = order >= 0;
		if (order <= 0) {
			exchange_folder_add(f, &b->analysis, &e);
		}
		capture_exchange_finish(&e);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct jobs *j = w->jobs;
	struct slices slices = {.by = SLICE_NONE};
	struct exchange_folder folder;
	exchange_folder_init(&folder, w->capture, j->options, &slices);
	pthread_mutex_lock(&j->lock);
	for (;;) {
		while (j->taken == j->pushed && !j->ended) {
			pthread_cond_wait(&j->changed, &j->lock);
		}
		if (j->taken == j->pushed) {
			break;
		}
		struct block *b = &j->blocks[j->taken++ % j->room];
		pthread_mutex_unlock(&j->lock);
		judge_block(&folder, b);
		pthread_mutex_lock(&j->lock);
		b->done = true;
		pthread_cond_broadcast(&j->changed);
	}
	pthread_mutex_unlock(&j->lock);
	exchange_folder_finish(&folder);
	slices_finish(&slices);
	return NULL;
}

/* Merges blocks in their order until fewer than most are under way. */
static void merge_down(struct jobs *j, uint64_t most, analysis_merge_fn merge, void *arg)
{
	pthread_mutex_lock(&j->lock);
	while (j->pushed - j->merged > most) {
		struct block *b = &j->blocks[j->merged % j->room];
		while (!b->done) {
			pthread_cond_wait(&j->changed, &j->lock);
		}
		pthread_mutex_unlock(&j->lock);
		merge(arg, &b->analysis);
		analysis_finish(&b->analysis);
		pthread_mutex_lock(&j->lock);
		j->merged++;
	}
	pthread_mutex_unlock(&j->lock);
}

static void push(struct jobs *j, struct id from, struct id until)
{
	pthread_mutex_lock(&j->lock);
	j->blocks[j->pushed++ % j->room] = (struct block){.from = from, .until = until};
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
}

/* The next block's exchanges; false: there are none. */
static bool next_block(struct capture *c, struct id *ret_from, struct id *ret_until)
{
	struct capture_exchange e;
	size_t n = 0;
	while (n < ANALYSIS_BLOCK && capture_next(c, &e) == 1) {
		*ret_from = n == 0 ? e.row.id : *ret_from;
		*ret_until = e.row.id;
		n++;
		capture_exchange_finish(&e);
	}
	return n > 0;
}

static size_t open_workers(struct worker *workers, struct jobs *j, const struct capture *c)
{
	size_t n = 0;
	for (; n < j->options->jobs; n++) {
		workers[n].jobs = j;
		workers[n].capture = capture_open_again(c);
		if (!workers[n].capture) {
			break;
		}
		if (pthread_create(&workers[n].thread, NULL, work, &workers[n]) != 0) {
			capture_close(workers[n].capture);
			break;
		}
	}
	return n;
}

bool analysis_jobs_run(struct capture *c, const struct analysis_options *options,
        analysis_merge_fn merge, void *arg)
{
	struct jobs j = {
	        .options = options,
	        .lock = PTHREAD_MUTEX_INITIALIZER,
	        .changed = PTHREAD_COND_INITIALIZER,
	        .room = (size_t)HELD * options->jobs,
	};
	struct worker *workers = xcalloc(options->jobs, sizeof(*workers));
	j.blocks = xcalloc(j.room, sizeof(*j.blocks));
	size_t n = open_workers(workers, &j, c);
	struct id from, until;
	while (n > 0 && next_block(c, &from, &until)) {
		push(&j, from, until);
		merge_down(&j, j.room - 1, merge, arg);
	}
	merge_down(&j, 0, merge, arg);
	pthread_mutex_lock(&j.lock);
	j.ended = true;
	pthread_cond_broadcast(&j.changed);
	pthread_mutex_unlock(&j.lock);
	for (size_t i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		capture_take_hits(c, workers[i].capture);
		capture_close(workers[i].capture);
	}
	free(workers);
	free(j.blocks);
	return n > 0;
}
