/*
 * neighbours_trial - volleys of neighbours, and what they come to.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/stats/testing.h"
#include "base/mem.h"
#include "cli/capture/neighbours.h"
#include "answers/flaw.h"
#include "replay/shrink.h"
#include "replay/volley.h"

#define WASHES 16  /* times that it is asked alone until it is healthy again */
#define SETTLED 3  /* equal answers in a row, before it is known what a healthy one is */
#define MISS 0.05  /* chance that a set that shows it now and then is taken for one that does not */
#define CLEAR 0.01 /* p below which it comes out wrong more often with neighbours than alone */
#define TRIES_LIMIT 20   /* volleys for one set */
#define ANSWERS_LIMIT 64 /* told apart, of the asked one alone */

struct trial {
	const struct neighbourhood *h;
	const struct target *target;
	struct neighbours_finding *f;
	char *recorded;
	uint64_t left;  /* volleys for making the set smaller */
	unsigned tries; /* of each set, at most */
	/* What a volley with the symptom, and one without, says for its set being to blame, in nats. */
	double if_sick, if_well;
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

static bool is_error(const struct reading *r, int status, const char *failure)
{
	return failure || status >= 400 || status == 0 ||
	       (r && flaw_of_marks(r->marks) != FLAW_NONE);
}

/* All that an answer says, as one text by which answers are told apart. */
static char *describe(const struct reading *r, int status, const char *failure)
{
	struct buf text = {0};
	if (is_error(r, status, failure)) {
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
	*ret_error = is_error(a.reading, a.status, a.failure);
	volley_answer_finish(&a);
	return said;
}

/*
 * What an earlier volley left behind must not count against the next one: the engine is asked alone
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

/* Else no healthy answer could be waited for: wrong ones say nothing of what an earlier volley left behind. */
static bool mostly_well_alone(const struct neighbours_finding *f)
{
	return 2 * f->alone.hits <= f->alone.n;
}

/* One volley from a healthy state. 1: with the symptom; 0: without; -1: no more. */
static int volley(struct trial *t, const uint32_t *set, size_t n)
{
	bool error = false;
	if (mostly_well_alone(t->f) && !wash(t)) {
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

/*
 * What others left behind before us, an earlier call of ours among them, must not be counted as what it is answered
 * alone. What it is answered in health is not known yet: that it is answered the same a few times in a
 * row has to do. A request whose answers always vary is not waited for any longer.
 */
static void settle(struct trial *t)
{
	char *last = NULL;
	unsigned alike = 0;
	for (unsigned i = 0; i < WASHES && alike < SETTLED && !t->cancelled; i++) {
		bool error = false;
		show_progress(t, "settling");
		char *said = ask(t, NULL, 0, &error);
		if (!said || has_symptom(t, said, error)) {
			alike = 0;
		} else {
			alike = last && strcmp(said, last) == 0 ? alike + 1 : 1;
		}
		free(last);
		last = said;
	}
	free(last);
}

struct answers { /* to the asked one alone */
	char *said[ANSWERS_LIMIT];
	bool error[ANSWERS_LIMIT];
	size_t n;
};

static void ask_alone(struct trial *t, struct answers *a, size_t from, size_t to)
{
	for (size_t i = from; i < to && !t->cancelled; i++) {
		show_progress(t, "alone");
		char *said = ask(t, NULL, 0, &a->error[i]);
		if (said) {
			free(a->said[i]);
			a->said[i] = said;
			a->n = MAX(a->n, i + 1);
		}
	}
}

static char *most_frequent(const struct answers *a)
{
	size_t best = 0, most = 0;
	for (size_t i = 0; i < a->n; i++) {
		size_t same = 0;
		for (size_t k = 0; k < a->n; k++) {
			same += strcmp(a->said[i], a->said[k]) == 0;
		}
		if (same > most) {
			most = same;
			best = i;
		}
	}
	return a->n ? xstrdup(a->said[best]) : NULL;
}

/* Those before the first healthy answer: a rest of what was before us that was alike enough to pass for settled. */
static size_t count_leading_sick(const struct trial *t, const struct answers *a)
{
	size_t n = 0;
	while (n < a->n && has_symptom(t, a->said[n], a->error[n])) {
		n++;
	}
	return n < a->n ? n : 0; /* all of them: so it is answered */
}

/* What it is answered most often when nothing else is sent; then how often it shows the symptom alone. */
static void learn_alone(struct trial *t)
{
	struct answers a = {.n = 0};
	settle(t);
	ask_alone(t, &a, 0, MIN(t->h->o->times, (uint64_t)ANSWERS_LIMIT));
	t->f->healthy = most_frequent(&a);
	ask_alone(t, &a, 0, count_leading_sick(t, &a));
	for (size_t i = 0; i < a.n; i++) {
		t->f->alone.hits += has_symptom(t, a.said[i], a.error[i]);
		t->f->alone.n++;
		free(a.said[i]);
	}
}

static int shows_it(void *arg, const uint32_t *set, size_t n)
{
	static const double enough = 2.944438979166440; /* log((1 - MISS) / MISS) */
	struct trial *t = arg;
	double evidence = 0;
	for (unsigned i = 0; i < t->tries && fabs(evidence) < enough; i++) {
		if (t->left == 0) {
			return -1;
		}
		t->left--;
		show_progress(t, "fewer");
		int shows = volley(t, set, n);
		if (shows < 0) {
			return shows;
		}
		evidence += shows ? t->if_sick : t->if_well;
	}
	return evidence > 0;
}

/* So many volleys of a set that shows it as often as all together did, that it is seldom missed. */
static unsigned tries_for(const struct occurrence *o)
{
	double rate = (double)o->hits / (double)o->n;
	double tries = rate < 1 ? ceil(log(MISS) / log(1 - rate)) : 1;
	return (unsigned)MIN(MAX(tries, 2), TRIES_LIMIT);
}

/* Not 0 or 1, which so few volleys never show. */
static double careful_rate(const struct occurrence *o)
{
	return ((double)o->hits + 0.5) / ((double)o->n + 1);
}

/*
 * Where it never comes out wrong alone, one wrong answer settles it. Else a set is to blame if what its volleys come to
 * is far more likely at the rate of all together than at that of none (Wald's sequential test).
 */
static void weigh(struct trial *t)
{
	double alone = careful_rate(&t->f->alone), together = careful_rate(&t->f->together);
	bool never_alone = t->f->alone.hits == 0;
	t->tries = never_alone ? tries_for(&t->f->together) : TRIES_LIMIT;
	t->if_sick = never_alone ? INFINITY : log(together / alone);
	t->if_well = never_alone ? 0 : log((1 - together) / (1 - alone));
}

static void make_fewer(struct trial *t)
{
	struct neighbours_finding *f = t->f;
	weigh(t);
	f->n_needed = shrink_set(f->needed, f->n_needed, t->h->o->seed, shows_it, t, &f->minimal);
	f->shrunk = true;
	if (!t->cancelled) {
		count(t, f->needed, f->n_needed, "with fewer", &f->confirmed);
	}
}

/* The neighbours have a part in it: what is left out can tell which of them. */
static bool takes_neighbours(const struct neighbours_finding *f)
{
	const struct occurrence *alone = &f->alone, *all = &f->together;
	if (f->stays_sick || all->hits == 0) {
		return false;
	}
	return alone->hits == 0 || (mostly_well_alone(f) && testing_fisher_above(all->hits, all->n,
	                                                            alone->hits, alone->n) < CLEAR);
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
	if (!t.cancelled && takes_neighbours(ret)) {
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
