/*
 * neighbours_trial - sends volleys of neighbours and evaluates them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/proportion.h"
#include "base/mem.h"
#include "base/progress.h"
#include "replay/repro/neighbours.h"
#include "answers/flaw.h"
#include "replay/repro/shrink.h"
#include "replay/repro/volley.h"

#define HEALTHY_TRIES 16 /* most requests sent alone to get a healthy answer again */
#define EQUAL_ANSWERS 3  /* equal answers in a row that count as the healthy answer */
/* chance that a set that sometimes shows the symptom is taken for one that never does */
#define MISS_CHANCE 0.05
#define CLEAR_P 0.01   /* p below which the answer is wrong more often with neighbours than alone */
#define TRIES_LIMIT 20 /* volleys for one set */
#define ANSWERS_LIMIT 64 /* answers to the examined request alone that are compared */

struct search {
	const struct neighbourhood *h;
	const struct target *target;
	struct neighbours_finding *f;
	char *recorded;
	uint64_t left;  /* volleys left for shrinking the set */
	unsigned tries; /* most volleys per set */
	/* The evidence, in nats, that a volley with the symptom (evidence_for) or without it
	 * (evidence_against) gives for its set being the cause. */
	double evidence_for, evidence_against;
	bool cancelled;
	struct progress progress;
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

/* The whole answer as one text, by which answers are compared. */
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

static bool has_symptom(const struct search *t, const char *answer, bool error)
{
	switch (t->h->o->symptom) {
	case SYMPTOM_DIFFERS:
		return t->f->healthy && strcmp(answer, t->f->healthy) != 0;
	case SYMPTOM_RECORDED:
		return t->recorded && strcmp(answer, t->recorded) == 0;
	case SYMPTOM_ERROR:
		return error;
	case SYMPTOM_TEXT:
		return strstr(answer, t->h->o->words) != NULL;
	}
	never("a symptom without a test");
}

static void show_progress(struct search *t, const char *what)
{
	progress_message(&t->progress, "%s: volley %" PRIu64, what, t->f->volleys);
}

/* Sends the examined request with some neighbours, or alone. 0, or negative errno. */
static int send_volley(struct search *t, const uint32_t *set, size_t n, struct volley_answer *ret)
{
	const struct neighbourhood *h = t->h;
	const struct member *examined = &h->members[h->at];
	struct volley_request *requests = xcalloc(n + 1, sizeof(*requests));
	uint64_t first = examined->start;
	for (size_t i = 0; i < n; i++) {
		first = MIN(first, h->members[set[i]].start);
	}
	for (size_t i = 0; i <= n; i++) {
		const struct member *m = i < n ? &h->members[set[i]] : examined;
		double speed = h->o->speed;
		requests[i] = (struct volley_request){
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
	        .requests = requests,
	        .n = n + 1,
	        .examined = n,
	        .endpoint = examined->job->made.endpoint,
	};
	int r = volley_send(&v, ret);
	t->f->volleys++;
	t->cancelled = t->cancelled || r < 0;
	free(requests);
	return r;
}

/* The answer to the examined request; NULL: cancelled. */
static char *get_answer(struct search *t, const uint32_t *set, size_t n, bool *ret_error)
{
	struct volley_answer a;
	if (send_volley(t, set, n, &a) < 0) {
		return NULL;
	}
	char *answer = describe(a.reading, a.status, a.failure);
	*ret_error = is_error(a.reading, a.status, a.failure);
	volley_answer_finish(&a);
	return answer;
}

/*
 * Sends the examined request alone until its answer is without the symptom again, so that
 * after-effects of the last volley do not change the next result. False: that did not happen in
 * HEALTHY_TRIES tries, or the user cancelled.
 */
static bool await_healthy(struct search *t)
{
	for (unsigned i = 0; i < HEALTHY_TRIES && !t->cancelled; i++) {
		bool error = false;
		char *answer = get_answer(t, NULL, 0, &error);
		bool is_healthy = answer && !has_symptom(t, answer, error);
		free(answer);
		if (is_healthy) {
			return true;
		}
	}
	t->f->stays_sick = !t->cancelled;
	return false;
}

/* If not, await_healthy() is useless: a wrong answer then does not show whether an earlier volley
 * has after-effects. */
static bool is_usually_healthy_alone(const struct neighbours_finding *f)
{
	return 2 * f->alone.hits <= f->alone.n;
}

/* Sends one volley from a healthy state. 1: the symptom appeared; 0: it did not; -1: stop. */
static int volley(struct search *t, const uint32_t *set, size_t n)
{
	bool error = false;
	if (is_usually_healthy_alone(t->f) && !await_healthy(t)) {
		return -1;
	}
	char *answer = get_answer(t, set, n, &error);
	if (!answer) {
		return -1;
	}
	bool is_wrong = has_symptom(t, answer, error);
	if (is_wrong && !t->f->wrong_answer) {
		t->f->wrong_answer = answer;
	} else {
		free(answer);
	}
	return is_wrong ? 1 : 0;
}

static void count(
        struct search *t, const uint32_t *set, size_t n, const char *what, struct occurrence *to)
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
 * Waits until after-effects of earlier traffic, such as an earlier call of this command, have
 * passed. The healthy answer is unknown yet, so it waits for EQUAL_ANSWERS equal answers in a row.
 * If the answers always vary, it stops after HEALTHY_TRIES requests.
 */
static void await_settled(struct search *t)
{
	char *last = NULL;
	unsigned equal = 0;
	for (unsigned i = 0; i < HEALTHY_TRIES && equal < EQUAL_ANSWERS && !t->cancelled; i++) {
		bool error = false;
		show_progress(t, "settling");
		char *answer = get_answer(t, NULL, 0, &error);
		if (!answer || has_symptom(t, answer, error)) {
			equal = 0;
		} else {
			equal = last && strcmp(answer, last) == 0 ? equal + 1 : 1;
		}
		free(last);
		last = answer;
	}
	free(last);
}

struct answers { /* to the examined request alone */
	char *texts[ANSWERS_LIMIT];
	bool error[ANSWERS_LIMIT];
	size_t n;
};

static void send_alone(struct search *t, struct answers *a, size_t from, size_t to)
{
	for (size_t i = from; i < to && !t->cancelled; i++) {
		show_progress(t, "alone");
		char *answer = get_answer(t, NULL, 0, &a->error[i]);
		if (answer) {
			free(a->texts[i]);
			a->texts[i] = answer;
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
			same += strcmp(a->texts[i], a->texts[k]) == 0;
		}
		if (same > most) {
			most = same;
			best = i;
		}
	}
	return a->n ? xstrdup(a->texts[best]) : NULL;
}

/* Counts the answers before the first healthy one. They are after-effects of earlier traffic that
 * await_settled() could not recognise, because they were equal. */
static size_t count_leading_wrong(const struct search *t, const struct answers *a)
{
	size_t n = 0;
	while (n < a->n && has_symptom(t, a->texts[n], a->error[n])) {
		n++;
	}
	return n < a->n ? n : 0; /* if all have the symptom, it is the usual answer */
}

/* Finds the most frequent answer to the request alone, and how often the request alone shows the
 * symptom. */
static void measure_alone(struct search *t)
{
	struct answers a = {.n = 0};
	await_settled(t);
	send_alone(t, &a, 0, MIN(t->h->o->times, (uint64_t)ANSWERS_LIMIT));
	t->f->healthy = most_frequent(&a);
	send_alone(t, &a, 0, count_leading_wrong(t, &a));
	for (size_t i = 0; i < a.n; i++) {
		t->f->alone.hits += has_symptom(t, a.texts[i], a.error[i]);
		t->f->alone.n++;
		free(a.texts[i]);
	}
}

static int test_set(void *arg, const uint32_t *set, size_t n)
{
	static const double enough = 2.944438979166440; /* log((1 - MISS) / MISS) */
	struct search *t = arg;
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
		evidence += shows ? t->evidence_for : t->evidence_against;
	}
	return evidence > 0;
}

/* The number of volleys after which a set that shows the symptom as often as all neighbours
 * together is missed only with the chance MISS. */
static unsigned tries_for(const struct occurrence *o)
{
	double rate = (double)o->hits / (double)o->n;
	double tries = rate < 1 ? ceil(log(MISS_CHANCE) / log(1 - rate)) : 1;
	return (unsigned)MIN(MAX(tries, 2), TRIES_LIMIT);
}

/* The rate, but never 0 or 1: so few volleys cannot prove either. */
static double careful_rate(const struct occurrence *o)
{
	return ((double)o->hits + 0.5) / ((double)o->n + 1);
}

/*
 * If the request alone never gets a wrong answer, one wrong answer proves that the set is the
 * cause. Otherwise the set is the cause if its results are far more likely at the rate of all
 * neighbours together than at the rate of none (Wald's sequential test).
 */
static void set_evidence(struct search *t)
{
	double alone = careful_rate(&t->f->alone), together = careful_rate(&t->f->together);
	bool is_healthy_alone = t->f->alone.hits == 0;
	t->tries = is_healthy_alone ? tries_for(&t->f->together) : TRIES_LIMIT;
	t->evidence_for = is_healthy_alone ? INFINITY : log(together / alone);
	t->evidence_against = is_healthy_alone ? 0 : log((1 - together) / (1 - alone));
}

/* Whether the neighbours contribute to the symptom. Only then can leaving some out show which of
 * them do. */
static bool neighbours_contribute(const struct neighbours_finding *f)
{
	const struct occurrence *alone = &f->alone, *all = &f->together;
	if (f->stays_sick || all->hits == 0) {
		return false;
	}
	return alone->hits == 0 ||
	       (is_usually_healthy_alone(f) &&
	               proportion_fisher_above(all->hits, all->n, alone->hits, alone->n) < CLEAR_P);
}

static void read_recorded(struct search *t)
{
	const struct neighbourhood *h = t->h;
	struct reading *reading = NULL;
	const struct leg_row *row = &h->examined.legs[h->examined_leg].row;
	(void)!capture_reading(h->capture, &h->examined, h->examined_leg, &reading);
	t->recorded = describe(
	        reading, row->status, row->outcome == OUTCOME_COMPLETE ? NULL : "not whole");
	reading_destroy(reading);
}

int neighbours_try(
        const struct neighbourhood *h, const struct target *target, struct neighbours_finding *ret)
{
	struct search t = {.h = h, .target = target, .f = ret, .left = h->o->runs};
	progress_begin(&t.progress);
	*ret = (struct neighbours_finding){0};
	ret->needed = xcalloc(h->n + 1, sizeof(*ret->needed));
	for (uint32_t i = 0; i < h->n; i++) {
		if (i != h->at) {
			ret->needed[ret->n_needed++] = i;
		}
	}
	read_recorded(&t);
	measure_alone(&t);
	ret->was_recorded = ret->healthy && strcmp(ret->healthy, t.recorded) == 0;
	if (!t.cancelled && ret->n_needed > 0) {
		count(&t, ret->needed, ret->n_needed, "together", &ret->together);
	}
	if (!t.cancelled && neighbours_contribute(ret)) {
		set_evidence(&t);
		ret->n_needed = shrink_set(
		        ret->needed, ret->n_needed, h->o->seed, test_set, &t, &ret->minimal);
		ret->shrunk = true;
		if (!t.cancelled) {
			count(&t, ret->needed, ret->n_needed, "with fewer", &ret->confirmed);
		}
	}
	progress_clear(&t.progress);
	free(t.recorded);
	return t.cancelled ? -ECANCELED : 0;
}

void neighbours_finding_finish(struct neighbours_finding *f)
{
	free(f->healthy);
	free(f->wrong_answer);
	free(f->needed);
	*f = (struct neighbours_finding){0};
}
