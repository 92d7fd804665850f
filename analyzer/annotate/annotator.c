#include "analyzer/annotate/annotator.h"

#include <inttypes.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "answers/finish.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/grow.h"
#include "base/progress.h"

#define LOOK_NS (SECOND_NS / 10) /* how often to look for signals */
#define GONE_LIMIT 3             /* consecutive questions that could not even be sent */

struct worker {
	struct annotator *annotator;
	void *client;
	pthread_t thread;
};

struct annotator {
	const struct annotator_settings *s;
	struct worker workers[ANNOTATOR_WORKERS];
	atomic_bool stops;
	pthread_mutex_t lock;
	/* The lock protects the members below, and all that the workers share. */
	pthread_cond_t ended; /* a worker has ended its items, or itself */
	unsigned running;     /* workers */
	size_t next;          /* item */
	size_t in_hand;       /* items */
	uint64_t taken;       /* items, without those that could not be asked about */
	unsigned gone_in_a_row;
	struct annotator_tally *tally;
	uint64_t ended_before; /* questions in the tally from an earlier list */
	struct progress progress;
};

void annotator_items_add(struct annotator_items *to, const struct annotator_item *item)
{
	to->items = grow(to->items, to->n, &to->cap, sizeof(*to->items));
	to->items[to->n++] = *item;
}

void annotator_lock(struct annotator *a)
{
	pthread_mutex_lock(&a->lock);
}

void annotator_unlock(struct annotator *a)
{
	pthread_mutex_unlock(&a->lock);
}

const atomic_bool *annotator_stops(const struct annotator *a)
{
	return &a->stops;
}

/* Lets no further item begin. */
static void cancel(struct annotator *a)
{
	if (atomic_exchange(&a->stops, true)) {
		return;
	}
	for (unsigned i = 0; a->s->stop && i < a->s->workers; i++) {
		a->s->stop(a->workers[i].client);
	}
	pthread_cond_broadcast(&a->ended);
}

void annotator_count(struct annotator *a, enum question_end end, const char *why)
{
	struct annotator_tally *t = a->tally;
	if (end != QUESTION_UNABLE) { /* for those, nothing was sent */
		a->gone_in_a_row = end == QUESTION_GONE ? a->gone_in_a_row + 1 : 0;
	}
	if (end == QUESTION_DONE) {
		t->done++;
	} else if (end != QUESTION_STOPPED) {
		error_tally_add(end == QUESTION_UNABLE ? &t->unable : &t->failed, why);
	}
	if (a->gone_in_a_row >= GONE_LIMIT && !a->stops) {
		t->gone = true;
		cancel(a);
	}
}

/* Takes the next items. The limit counts items that can be asked about; to know which can, it may
 * have to wait for those that other workers have. False: there is nothing more to do. */
static bool take(struct annotator *a, size_t *ret_from, size_t *ret_to)
{
	const struct annotator_settings *s = a->s;
	while (a->taken >= s->limit && a->in_hand > 0 && !a->stops) {
		pthread_cond_wait(&a->ended, &a->lock);
	}
	if (a->taken >= s->limit || a->next == s->items || a->stops) {
		return false;
	}
	*ret_from = a->next;
	*ret_to = a->next + MIN(MAX(s->batch, (size_t)1), s->items - a->next);
	a->next = *ret_to;
	return true;
}

static void *work_thread(void *arg)
{
	struct worker *w = arg;
	struct annotator *a = w->annotator;
	size_t from, to;
	annotator_lock(a);
	while (take(a, &from, &to)) {
		a->in_hand += to - from;
		a->taken += to - from;
		annotator_unlock(a);
		bool asked = a->s->ask(a, a->s->arg, w->client, from, to);
		annotator_lock(a);
		a->in_hand -= to - from;
		a->taken -= asked ? 0 : to - from;
		pthread_cond_broadcast(&a->ended);
	}
	a->running--;
	pthread_cond_broadcast(&a->ended);
	annotator_unlock(a);
	return NULL;
}

static uint64_t ended(const struct annotator_tally *t)
{
	return t->done + t->unable.total + t->failed.total;
}

static void show_progress(struct annotator *a)
{
	uint64_t now = clock_mono(), done = ended(a->tally) - a->ended_before;
	if (!progress_is_due(&a->progress, now)) {
		return;
	}
	progress_line(&a->progress, a->s->noun, done, a->s->questions,
	        progress_rate(&a->progress, done, now));
	if (a->tally->failed.total > 0) {
		progress_add(&a->progress, "%" PRIu64 " failed", a->tally->failed.total);
	}
	progress_show(&a->progress);
}

/* Waits for the workers, and meanwhile looks for signals and shows the progress. */
static void attend(struct annotator *a)
{
	annotator_lock(a);
	while (a->running > 0) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += (long)LOOK_NS;
		until.tv_sec += until.tv_nsec / (long)SECOND_NS;
		until.tv_nsec %= (long)SECOND_NS;
		(void)pthread_cond_timedwait(&a->ended, &a->lock, &until);
		if (interrupt_caught()) {
			cancel(a);
		}
		show_progress(a);
	}
	annotator_unlock(a);
}

static void work(struct annotator *a)
{
	struct interrupt interrupt;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->ended, NULL);
	progress_begin(&a->progress);
	interrupt_begin(&interrupt);
	a->running = a->s->workers;
	for (unsigned i = 0; i < a->s->workers; i++) {
		struct worker *w = &a->workers[i];
		w->annotator = a;
		expect(pthread_create(&w->thread, NULL, work_thread, w) == 0);
	}
	attend(a);
	for (unsigned i = 0; i < a->s->workers; i++) {
		pthread_join(a->workers[i].thread, NULL);
	}
	progress_clear(&a->progress);
	interrupt_end(&interrupt);
	a->tally->stopped |= interrupt_caught();
	pthread_cond_destroy(&a->ended);
	pthread_mutex_destroy(&a->lock);
}

char *annotator_run(const struct annotator_settings *s, struct annotator_tally *tally)
{
	struct annotator a = {.s = s, .tally = tally, .ended_before = ended(tally)};
	uint64_t began = clock_mono();
	char *error = NULL;
	unsigned n = 0;
	expect(s->workers > 0 && s->workers <= ANNOTATOR_WORKERS);
	for (; s->open && n < s->workers && !error; n++) {
		a.workers[n].client = s->open(s->arg, &error);
	}
	if (!error) {
		work(&a);
	}
	while (n-- > 0) {
		s->close(a.workers[n].client);
	}
	tally->seconds += (clock_mono() - began) / SECOND_NS;
	return error;
}

void annotator_tally_finish(struct annotator_tally *t)
{
	error_tally_finish(&t->unable);
	error_tally_finish(&t->failed);
	*t = (struct annotator_tally){0};
}

unsigned annotator_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return (unsigned)MIN(MAX(n, 1), ANNOTATOR_WORKERS);
}

struct annotation annotator_common(const struct annotator *a)
{
	struct annotation common = a->s->common;
	common.in_flight = a->s->workers;
	common.waits = true;
	return common;
}

bool annotator_record(struct annotator *a, const struct annotation *annotation)
{
	return annotation_record(annotation, a->s->to->recorder, a->s->to->book);
}

bool annotator_record_words(struct annotator *a, struct annotation *annotation, const char *model,
        struct span words, uint64_t took_us)
{
	struct call_answer answer;
	annotation_put_reply(model, words, took_us, &answer);
	annotation->answer = &answer;
	bool good = annotator_record(a, annotation);
	call_answer_finish(&answer);
	annotation->answer = NULL;
	return good;
}

bool annotator_read_choice(struct capture *c, const struct capture_exchange *e, struct id leg,
        int32_t choice, struct buf *to, bool *ret_cut)
{
	struct reading *r = NULL;
	size_t at = capture_leg_index(e, leg);
	if (at == e->n_legs || capture_reading(c, e, at, &r) < 0) {
		return false;
	}
	const struct choice *answer = reading_choice(r, choice);
	if (answer) {
		choice_answer(answer, to);
	}
	if (answer && ret_cut) {
		*ret_cut = finish_of(answer->finish) == FINISH_LENGTH;
	}
	reading_destroy(r);
	return answer != NULL;
}
