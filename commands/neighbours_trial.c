/*
 * neighbours_trial - volleys of neighbours, and what they come to.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/neighbours.h"
#include "replay/shrink.h"
#include "replay/volley.h"

#define WASHES 16 /* times that it is asked alone until it is healthy again */
#define MISS 0.05 /* chance that a set that shows it now and then is taken for one that does not */
#define TRIES_LIMIT 20   /* volleys for one set */
#define ANSWERS_LIMIT 64 /* told apart, of the asked one alone */

struct trial {
	const struct neighbourhood *h;
	const struct target *target;
	struct neighbours_finding *f;
	char *recorded;
	uint64_t left;  /* volleys for making the set smaller */
	unsigned tries; /* of each set */
	bool cancelled, moved;
};

static void put_choice(struct buf *to, const struct choice *c)
{
	choice_reasoning(c, to);
	buf_append_str(to, to->len ? "\n" : "");
	choice_answer(c, to);
	for (size_t i = 0; i < c->n_calls; i++) {
		const struct tool_call *call = &c->calls[i];
		if (!call->in_text) {
			buf_printf(to, "\n%s(%s)", call->name ? call->name : "",
			        call->arguments ? call->arguments : "");
		}
	}
	buf_printf(to, " [%s]", c->finish ? c->finish : "no end");
}

static bool is_error(int status, const char *failure)
{
	return failure || status >= 400 || status == 0;
}

/* All that an answer says, as one text by which answers are told apart. */
static char *describe(const struct reading *r, int status, const char *failure)
{
	struct buf text = {0};
	if (is_error(status, failure)) {
		buf_printf(&text, "[%s%sstatus %d] ", failure ? failure : "", failure ? ", " : "",
		        status);
	}
	if (r && r->error) {
		buf_append_str(&text, r->error);
	}
	for (size_t i = 0; r && i < r->n_choices; i++) {
		put_choice(&text, &r->choices[i]);
	}
	return buf_steal(&text);
}

static bool has_symptom(const struct trial *t, const char *said, bool error)
{
	switch (t->h->o->symptom) {
	case SYMPTOM_DIFFERS:
		return t->f->healthy && strcmp(said, t->f->healthy) != 0;
	case SYMPTOM_RECORDED:
		return t->recorded && strcmp(said, t->recorded) == 0;
	case SYMPTOM_ERROR:
		return error;
	case SYMPTOM_TEXT:
		return strstr(said, t->h->o->words) != NULL;
	}
	never("a symptom without a test");
}

static void show_progress(struct trial *t, const char *what)
{
	if (isatty(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[K%s: volley %llu", what, (unsigned long long)t->f->volleys);
		fflush(stderr);
		t->moved = true;
	}
}

/* The asked one with some neighbours, or alone. 0, or negative errno. */
static int fire(struct trial *t, const uint32_t *set, size_t n, struct volley_answer *ret)
{
	const struct neighbourhood *h = t->h;
	const struct member *asked = &h->members[h->at];
	struct volley_shot *shots = xcalloc(n + 1, sizeof(*shots));
	uint64_t first = asked->start;
	for (size_t i = 0; i < n; i++) {
		first = MIN(first, h->members[set[i]].start);
	}
	for (size_t i = 0; i <= n; i++) {
		const struct member *m = i < n ? &h->members[set[i]] : asked;
		double speed = h->o->speed;
		shots[i] = (struct volley_shot){
		        .at = (uint64_t)((double)(m->start - first) / speed),
		        .cancel = m->left && i < n
		                          ? MAX((uint64_t)((double)(m->end - m->start) / speed), 1)
		                          : 0,
		        .path = m->path,
		        .body = job_body(m->job),
		        .stream = m->job->source.facts.stream,
		};
	}
	const struct volley v = {
	        .target = t->target,
	        .shots = shots,
	        .n = n + 1,
	        .asked = n,
	        .endpoint = asked->job->made.endpoint,
	};
	int r = volley_fire(&v, ret);
	t->f->volleys++;
	t->cancelled = t->cancelled || r < 0;
	free(shots);
	return r;
}

/* What it is answered; NULL: broken off. */
static char *ask(struct trial *t, const uint32_t *set, size_t n, bool *ret_error)
{
	struct volley_answer a;
	if (fire(t, set, n, &a) < 0) {
		return NULL;
	}
	char *said = describe(a.reading, a.status, a.failure);
	*ret_error = is_error(a.status, a.failure);
	volley_answer_finish(&a);
	return said;
}

/*
 * What an earlier volley left behind must not be held against the next one: the engine is asked alone
 * until it answers as it did at first. False: it does not any more, or we were broken off.
 */
static bool wash(struct trial *t)
{
	for (unsigned i = 0; i < WASHES && !t->cancelled; i++) {
		bool error = false;
		char *said = ask(t, NULL, 0, &error);
		bool well = said && !has_symptom(t, said, error);
		free(said);
		if (well) {
			return true;
		}
	}
	t->f->stays_sick = !t->cancelled;
	return false;
}

/* One volley from a healthy state. 1: with the symptom; 0: without; -1: no more. */
static int volley(struct trial *t, const uint32_t *set, size_t n)
{
	bool error = false;
	if (t->f->alone.hits == 0 && !wash(t)) {
		return -1;
	}
	char *said = ask(t, set, n, &error);
	if (!said) {
		return -1;
	}
	bool sick = has_symptom(t, said, error);
	if (sick && !t->f->sick) {
		t->f->sick = said;
	} else {
		free(said);
	}
	return sick ? 1 : 0;
}

static void count(
        struct trial *t, const uint32_t *set, size_t n, const char *what, struct occurrence *to)
{
	for (uint64_t i = 0; i < t->h->o->times && !t->cancelled; i++) {
		show_progress(t, what);
		int shows = volley(t, set, n);
		if (shows < 0) {
			return;
		}
		to->n++;
		to->hits += (uint64_t)shows;
	}
}

/* What it is answered most often when nothing else is sent; then how often it shows the symptom alone. */
static void learn_alone(struct trial *t)
{
	uint64_t times = MIN(t->h->o->times, (uint64_t)ANSWERS_LIMIT);
	char *said[ANSWERS_LIMIT] = {0};
	bool error[ANSWERS_LIMIT] = {false};
	size_t n = 0, best = 0, most = 0;
	for (; n < times && !t->cancelled; n++) {
		show_progress(t, "alone");
		said[n] = ask(t, NULL, 0, &error[n]);
		if (!said[n]) {
			break;
		}
	}
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;
		for (size_t k = 0; k < n; k++) {
			same += strcmp(said[i], said[k]) == 0;
		}
		if (same > most) {
			most = same;
			best = i;
		}
	}
	t->f->healthy = n ? xstrdup(said[best]) : NULL;
	for (size_t i = 0; i < n; i++) {
		t->f->alone.hits += has_symptom(t, said[i], error[i]);
		t->f->alone.n++;
	}
	for (size_t i = 0; i < n; i++) {
		free(said[i]);
	}
}

static int shows_it(void *arg, const uint32_t *set, size_t n)
{
	struct trial *t = arg;
	for (unsigned i = 0; i < t->tries; i++) {
		if (t->left == 0) {
			return -1;
		}
		t->left--;
		show_progress(t, "fewer");
		int shows = volley(t, set, n);
		if (shows != 0) {
			return shows;
		}
	}
	return 0;
}

/* So many volleys of a set that shows it as often as all together did, that it is seldom missed. */
static unsigned tries_for(const struct occurrence *o)
{
	double rate = (double)o->hits / (double)o->n;
	double tries = rate < 1 ? ceil(log(MISS) / log(1 - rate)) : 1;
	return (unsigned)MIN(MAX(tries, 2), TRIES_LIMIT);
}

static void make_fewer(struct trial *t)
{
	struct neighbours_finding *f = t->f;
	t->tries = tries_for(&f->together);
	f->n_needed = shrink_set(f->needed, f->n_needed, t->h->o->seed, shows_it, t, &f->minimal);
	f->shrunk = true;
	if (!t->cancelled) {
		count(t, f->needed, f->n_needed, "with fewer", &f->confirmed);
	}
}

static void read_recorded(struct trial *t)
{
	const struct neighbourhood *h = t->h;
	struct reading *reading = NULL;
	const struct leg_row *row = &h->asked.legs[h->asked_leg].row;
	(void)!capture_reading(h->capture, &h->asked, h->asked_leg, &reading);
	t->recorded = describe(
	        reading, row->status, row->outcome == OUTCOME_COMPLETE ? NULL : "not whole");
	reading_destroy(reading);
}

int neighbours_try(
        const struct neighbourhood *h, const struct target *target, struct neighbours_finding *ret)
{
	struct trial t = {.h = h, .target = target, .f = ret, .left = h->o->runs};
	*ret = (struct neighbours_finding){0};
	ret->needed = xcalloc(h->n + 1, sizeof(*ret->needed));
	for (uint32_t i = 0; i < h->n; i++) {
		if (i != h->at) {
			ret->needed[ret->n_needed++] = i;
		}
	}
	read_recorded(&t);
	learn_alone(&t);
	ret->was_recorded = ret->healthy && strcmp(ret->healthy, t.recorded) == 0;
	if (!t.cancelled && ret->n_needed > 0) {
		count(&t, ret->needed, ret->n_needed, "together", &ret->together);
	}
	if (!t.cancelled && !ret->stays_sick && ret->together.hits > 0 && ret->alone.hits == 0) {
		make_fewer(&t);
	}
	if (t.moved) {
		fputs("\r\033[K", stderr);
	}
	free(t.recorded);
	return t.cancelled ? -ECANCELED : 0;
}

void neighbours_finding_finish(struct neighbours_finding *f)
{
	free(f->healthy);
	free(f->sick);
	free(f->needed);
	*f = (struct neighbours_finding){0};
}
