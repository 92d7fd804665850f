#include "cli/opinions/worker_threads.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/interrupt.h"

#define ATTEND_NS (SECOND_NS / 10)

struct worker {
	struct worker_threads *threads;
	unsigned number;
	pthread_t thread;
};

struct worker_threads {
	struct worker_threads_settings s;
	struct worker *workers;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	void **queue; /* a ring */
	size_t head, waiting, room;
	unsigned running;
	bool closed; /* no more pieces will be queued */
	bool broken; /* queued pieces are dropped */
	struct progress progress;
	struct interrupt interrupt;
};

void worker_threads_lock(struct worker_threads *c)
{
	pthread_mutex_lock(&c->lock);
}

void worker_threads_unlock(struct worker_threads *c)
{
	pthread_mutex_unlock(&c->lock);
}

bool worker_threads_is_cancelled(const struct worker_threads *c)
{
	return c->broken;
}

void worker_threads_cancel(struct worker_threads *c)
{
	if (c->broken) {
		return;
	}
	c->broken = true;
	if (c->s.stop) {
		c->s.stop(c->s.arg);
	}
	pthread_cond_broadcast(&c->filled);
	pthread_cond_broadcast(&c->emptied);
}

static void *take(struct worker_threads *c)
{
	void *piece = c->queue[c->head];
	c->head = (c->head + 1) % c->room;
	c->waiting--;
	return piece;
}

static void *work_thread(void *arg)
{
	struct worker *w = arg;
	struct worker_threads *c = w->threads;
	worker_threads_lock(c);
	while (true) {
		while (c->waiting == 0 && !c->closed && !c->broken) {
			pthread_cond_wait(&c->filled, &c->lock);
		}
		if (c->broken || c->waiting == 0) {
			break;
		}
		void *piece = take(c);
		worker_threads_unlock(c);
		c->s.work(c->s.arg, w->number, piece);
		worker_threads_lock(c);
		pthread_cond_signal(&c->emptied);
	}
	c->running--;
	pthread_cond_signal(&c->emptied);
	worker_threads_unlock(c);
	return NULL;
}

static void show(struct worker_threads *c)
{
	uint64_t now = clock_mono();
	struct worker_threads_count n = {0};
	if (!progress_is_due(&c->progress, now)) {
		return;
	}
	c->s.count_done(c->s.arg, &n);
	double rate = progress_rate(&c->progress, n.done, now);
	progress_line(&c->progress, n.what, n.done, n.all, rate);
	if (n.failed > 0) {
		progress_add(&c->progress, "%" PRIu64 " failed", n.failed);
	}
	progress_show(&c->progress);
}

static void look_for_signal(struct worker_threads *c)
{
	if (interrupt_caught()) {
		worker_threads_cancel(c);
	}
}

void worker_threads_wait(struct worker_threads *c)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)ATTEND_NS;
	until.tv_sec += until.tv_nsec / (long)SECOND_NS;
	until.tv_nsec %= (long)SECOND_NS;
	(void)pthread_cond_timedwait(&c->emptied, &c->lock, &until);
	look_for_signal(c);
	show(c);
}

unsigned worker_threads_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return (unsigned)MIN(MAX(n, 1), WORKER_THREADS_LIMIT);
}

struct worker_threads *worker_threads_start(const struct worker_threads_settings *s)
{
	struct worker_threads *c = xcalloc(1, sizeof(*c));
	expect(s->n > 0 && s->n <= WORKER_THREADS_LIMIT);
	c->s = *s;
	c->room = 2 * (size_t)s->n;
	c->queue = xcalloc(c->room, sizeof(*c->queue));
	c->workers = xcalloc(s->n, sizeof(*c->workers));
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->filled, NULL);
	pthread_cond_init(&c->emptied, NULL);
	progress_begin(&c->progress);
	c->running = s->n;
	interrupt_begin(&c->interrupt);
	for (unsigned i = 0; i < s->n; i++) {
		c->workers[i] = (struct worker){.threads = c, .number = i};
		expect(pthread_create(&c->workers[i].thread, NULL, work_thread, &c->workers[i]) ==
		        0);
	}
	return c;
}

bool worker_threads_submit(struct worker_threads *c, void *piece)
{
	worker_threads_lock(c);
	look_for_signal(c);
	while (c->waiting == c->room && !c->broken) {
		worker_threads_wait(c);
	}
	bool good = !c->broken;
	if (good) {
		c->queue[(c->head + c->waiting++) % c->room] = piece;
		pthread_cond_signal(&c->filled);
		show(c);
	}
	worker_threads_unlock(c);
	if (!good && c->s.drop) {
		c->s.drop(c->s.arg, piece);
	}
	return good;
}

bool worker_threads_wants_more(struct worker_threads *c)
{
	worker_threads_lock(c);
	look_for_signal(c);
	bool going = !c->broken;
	worker_threads_unlock(c);
	return going;
}

bool worker_threads_finish(struct worker_threads *c)
{
	worker_threads_lock(c);
	c->closed = true;
	pthread_cond_broadcast(&c->filled);
	while (c->running > 0) {
		worker_threads_wait(c);
	}
	worker_threads_unlock(c);
	for (unsigned i = 0; i < c->s.n; i++) {
		pthread_join(c->workers[i].thread, NULL);
	}
	while (c->waiting > 0 && c->s.drop) {
		c->s.drop(c->s.arg, take(c));
	}
	progress_clear(&c->progress);
	interrupt_end(&c->interrupt);
	bool stopped = interrupt_caught();
	pthread_cond_destroy(&c->emptied);
	pthread_cond_destroy(&c->filled);
	pthread_mutex_destroy(&c->lock);
	free(c->workers);
	free(c->queue);
	free(c);
	return stopped;
}
