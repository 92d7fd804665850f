#include "analyzer/causes/cause_talk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/testing.h"
#include "base/mem.h"

#define QUARTER ((size_t)CAUSE_TALK_WINDOW / 4)

enum part { OF_REQUEST, OF_BASE, OF_TEST, N_PARTS };
_Static_assert(CAUSE_TALK_WINDOW *N_PARTS <= CAUSE_WORDS_TEXTS, "each text has a number");

struct talk_record {
	struct id exchange;
	struct cause_talk_time times[N_PARTS]; /* by the answer's part */
	bool differ, greedy;
	bool same;           /* both answers: the test has no runs of its own then */
	struct span request; /* behind the runs */
	uint64_t *runs;      /* of all parts, one after another; owned */
	size_t ends[N_PARTS];
	size_t head, tail; /* runs with which both answers begin, and end */
};

struct runs {
	const uint64_t *items;
	size_t n;
};

static struct runs runs_of(const struct talk_record *r, enum part p)
{
	size_t from = p ? r->ends[p - 1] : 0;
	return (struct runs){r->runs + from, r->ends[p] - from};
}

/* Those of an answer that the other one may not have. */
static struct runs own_runs(const struct talk_record *r, enum part p)
{
	struct runs all = runs_of(r, p);
	return r->differ && !r->same ? (struct runs){all.items + r->head, all.n - r->head - r->tail}
	                             : (struct runs){0};
}

static void find_shared(struct talk_record *r)
{
	struct runs a = runs_of(r, OF_BASE), b = runs_of(r, OF_TEST);
	size_t least = MIN(a.n, b.n);
	while (r->head < least && a.items[r->head] == b.items[r->head]) {
		r->head++;
	}
	while (r->head + r->tail < least &&
	        a.items[a.n - 1 - r->tail] == b.items[b.n - 1 - r->tail]) {
		r->tail++;
	}
}

/* What other requests leak is most often their end. */
static struct span last_bytes(struct span s)
{
	size_t cut = s.len > CAUSE_TALK_TEXT ? s.len - CAUSE_TALK_TEXT : 0;
	return (struct span){s.data + cut, s.len - cut};
}

static struct span first_bytes(struct span s)
{
	return (struct span){s.data, MIN(s.len, (size_t)CAUSE_TALK_TEXT)};
}

static struct talk_record *push(struct cause_talk *t)
{
	if (!t->records) {
		t->records = xmalloc(CAUSE_TALK_WINDOW * sizeof(*t->records));
	}
	return &t->records[t->n++];
}

/* What the record owns, in one piece: r->ends are set. */
static void own(struct talk_record *r, struct span request, const uint64_t *runs)
{
	size_t n = r->ends[N_PARTS - 1];
	r->runs = xmalloc(n * sizeof(*runs) + request.len);
	memcpy(r->runs, runs, n * sizeof(*runs));
	char *text = (char *)(r->runs + n);
	if (request.len) {
		memcpy(text, request.data, request.len);
	}
	r->request = (struct span){text, request.len};
}

void cause_talk_add(struct cause_talk *t, const struct cause_talk_pair *pair)
{
	if (t->n == CAUSE_TALK_WINDOW) {
		return;
	}
	const struct span parts[N_PARTS] = {
	        last_bytes(pair->request), first_bytes(pair->base), first_bytes(pair->test)};
	uint64_t runs[N_PARTS * CAUSE_WORDS_MOST(CAUSE_TALK_TEXT) + 1];
	struct talk_record *r = push(t);
	*r = (struct talk_record){
	        .exchange = pair->exchange,
	        .times = {[OF_BASE] = pair->base_time, [OF_TEST] = pair->test_time},
	        .differ = pair->differ,
	        .greedy = pair->greedy,
	        .same = span_equal(parts[OF_BASE], parts[OF_TEST]),
	};
	size_t n = 0;
	for (enum part i = OF_REQUEST; i < N_PARTS; i++) {
		n += i == OF_TEST && r->same ? 0 : cause_words_read(parts[i], runs + n);
		r->ends[i] = n;
	}
	own(r, parts[OF_REQUEST], runs);
	find_shared(r);
}

static void note_all(const struct cause_talk *t, struct cause_words *words)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct talk_record *r = &t->records[i];
		for (enum part p = OF_REQUEST; p < N_PARTS; p++) {
			struct runs runs = runs_of(r, p);
			cause_words_note(words, runs.items, runs.n, (uint32_t)(i * N_PARTS + p),
			        p == OF_BASE && r->same ? 2 : 1);
		}
	}
}

/* Did the engine that gave this part have both at the same time? */
static bool overlap(const struct cause_talk *t, size_t a, size_t b, enum part part)
{
	const struct cause_talk_time *x = &t->records[a].times[part];
	const struct cause_talk_time *y = &t->records[b].times[part];
	return x->start_ns < y->end_ns && y->start_ns < x->end_ns;
}

/* Of one record's answer, by run of words. */
struct hearing {
	const struct cause_talk *talk;
	size_t self;
	enum part part;
	bool now, elsewhere;
};

/* A repeat of a request says what its answers say. */
static bool is_other(const struct cause_talk *t, size_t a, size_t b)
{
	return a != b && !span_equal(t->records[a].request, t->records[b].request);
}

static void hear(struct hearing *h, const struct cause_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		bool own = run->where[i] / N_PARTS == h->self;
		if (own && run->where[i] % N_PARTS != h->part) {
			return; /* its own request says it, or the other side does as well */
		}
	}
	for (size_t i = 0; i < run->n; i++) {
		size_t other = run->where[i] / N_PARTS;
		if (is_other(h->talk, h->self, other)) {
			bool now = overlap(h->talk, h->self, other, h->part);
			h->now |= now;
			h->elsewhere |= !now;
		}
	}
}

static double share_under_way(const struct cause_talk *t, size_t self, enum part part)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		n += i != self && overlap(t, self, i, part);
	}
	return t->n > 1 ? (double)n / (double)(t->n - 1) : 1;
}

static void judge_side(const struct cause_talk *t, const struct cause_words *words, size_t self,
        enum part part, struct cause_talk_side *side)
{
	const struct talk_record *r = &t->records[self];
	struct hearing h = {t, self, part, false, false};
	struct runs runs = own_runs(r, part);
	for (size_t i = 0; i < runs.n; i++) {
		struct cause_run run;
		if (cause_words_find(words, runs.items[i], &run)) {
			hear(&h, &run);
		}
	}
	if (!h.now && !h.elsewhere) {
		return;
	}
	side->heard += h.now;
	side->greedy_heard += h.now && r->greedy;
	side->elsewhere += !h.now;
	side->chance += share_under_way(t, self, part);
	if (h.now) {
		cause_exchanges_add(&side->exchanges, r->exchange);
	}
}

/* The records up to that one. */
static void judge(struct cause_talk *t, size_t until, struct cause_words *words)
{
	for (size_t i = t->judged; i < until; i++) {
		struct runs base = own_runs(&t->records[i], OF_BASE);
		struct runs test = own_runs(&t->records[i], OF_TEST);
		cause_words_ask(words, base.items, base.n);
		cause_words_ask(words, test.items, test.n);
	}
	note_all(t, words);
	for (size_t i = t->judged; i < until; i++) {
		judge_side(t, words, i, OF_BASE, &t->base);
		judge_side(t, words, i, OF_TEST, &t->test);
	}
	cause_words_clear(words);
	t->judged = MAX(t->judged, until);
}

/* Full: those with enough others behind them are judged, and the oldest half goes. */
static void move_on(struct cause_talk *t, struct cause_words *words)
{
	size_t gone = 2 * QUARTER;
	judge(t, 3 * QUARTER, words);
	for (size_t i = 0; i < gone; i++) {
		free(t->records[i].runs);
	}
	t->n -= gone;
	t->judged -= gone;
	memmove(t->records, t->records + gone, t->n * sizeof(*t->records));
}

static void merge_side(struct cause_talk_side *s, const struct cause_talk_side *other)
{
	s->heard += other->heard;
	s->elsewhere += other->elsewhere;
	s->chance += other->chance;
	s->greedy_heard += other->greedy_heard;
	cause_exchanges_merge(&s->exchanges, &other->exchanges);
}

void cause_talk_merge(struct cause_talk *t, struct cause_talk *other, struct cause_words *words)
{
	for (size_t i = 0; i < other->n; i++) {
		if (t->n == CAUSE_TALK_WINDOW) {
			move_on(t, words);
		}
		*push(t) = other->records[i];
	}
	other->n = 0;
	merge_side(&t->base, &other->base);
	merge_side(&t->test, &other->test);
}

void cause_talk_settle(struct cause_talk *t, struct cause_words *words)
{
	judge(t, t->n, words);
}

void cause_talk_finish(struct cause_talk *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->records[i].runs);
	}
	free(t->records);
	*t = (struct cause_talk){0};
}

double cause_talk_p(const struct cause_talk_side *s)
{
	uint64_t n = s->heard + s->elsewhere;
	return n ? testing_binomial_above((double)s->heard, (double)n, s->chance / (double)n) : NAN;
}
