#include "analyzer/rows/crosstalk.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/rows/word_runs.h"
#include "base/mem.h"

#define WINDOW ((size_t)2 * CROSSTALK_AROUND)
#define RARE_MOST 6 /* a run that occurs in more texts is a common phrase */
#define BUCKETS 65536

enum part { OF_REQUEST, OF_BASE, OF_TEST, N_PARTS };

struct record {
	struct id exchange;
	struct crosstalk_time times[N_PARTS]; /* of the answers */
	bool differ, greedy;
	bool same;        /* both answers are the same: only the base's runs are kept */
	uint64_t request; /* a hash of it */
	uint64_t *runs;   /* of all parts, one after another; owned */
	size_t ends[N_PARTS];
};

/* An occurrence of a run in a text. */
struct posting {
	uint64_t run;
	uint32_t text; /* N_PARTS * place of its record + part */
	uint32_t next; /* next posting in its bucket, or next free one; 0: none */
};

/* A queue: the oldest posting is removed first. */
struct bucket {
	uint32_t first, last; /* 0: none */
};

/* The index of a record is its number modulo WINDOW. */
struct crosstalk_window {
	char *base, *test;
	struct record *records;
	size_t n, judged;         /* counts; the window has the last WINDOW of n records */
	struct bucket *buckets;   /* by the run's last bits */
	struct posting *postings; /* number 0 is not used */
	uint32_t n_postings, room, free;
};

static struct crosstalk_window *window_of(struct crosstalk *t, const char *base, const char *test)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->windows[i].base, base) == 0 &&
		        strcmp(t->windows[i].test, test) == 0) {
			return &t->windows[i];
		}
	}
	if (t->n == CROSSTALK_GROUPS) {
		return NULL;
	}
	t->windows = xrealloc(t->windows, (t->n + 1) * sizeof(*t->windows));
	struct crosstalk_window *w = &t->windows[t->n++];
	*w = (struct crosstalk_window){
	        .base = xstrdup(base),
	        .test = xstrdup(test),
	        .records = xcalloc(WINDOW, sizeof(*w->records)),
	        .buckets = xcalloc(BUCKETS, sizeof(*w->buckets)),
	        .n_postings = 1,
	};
	return w;
}

static struct bucket *bucket_of(const struct crosstalk_window *w, uint64_t run)
{
	return &w->buckets[run % BUCKETS];
}

static bool is_posting(const struct crosstalk_window *w, uint32_t i, uint64_t run, uint32_t text)
{
	return i != 0 && w->postings[i].run == run && w->postings[i].text == text;
}

static uint32_t take_posting(struct crosstalk_window *w)
{
	uint32_t i = w->free;
	if (i != 0) {
		w->free = w->postings[i].next;
		return i;
	}
	if (w->n_postings >= w->room) {
		w->room = w->room ? 2 * w->room : 4096;
		w->postings = xrealloc(w->postings, w->room * sizeof(*w->postings));
	}
	return w->n_postings++;
}

static void put(struct crosstalk_window *w, uint64_t run, uint32_t text)
{
	struct bucket *b = bucket_of(w, run);
	if (is_posting(w, b->last, run, text)) {
		return; /* a looping text repeats the run */
	}
	uint32_t i = take_posting(w);
	w->postings[i] = (struct posting){.run = run, .text = text};
	if (b->last != 0) {
		w->postings[b->last].next = i;
	} else {
		b->first = i;
	}
	b->last = i;
}

/* Removes the run's posting, which is the oldest one of its bucket. */
static void remove_posting(struct crosstalk_window *w, uint64_t run, uint32_t text)
{
	struct bucket *b = bucket_of(w, run);
	uint32_t i = b->first;
	if (is_posting(w, i, run, text)) {
		b->first = w->postings[i].next;
		b->last = b->first != 0 ? b->last : 0;
		w->postings[i].next = w->free;
		w->free = i;
	}
}

static void each_run(struct crosstalk_window *w, size_t place,
        void (*act)(struct crosstalk_window *w, uint64_t run, uint32_t text))
{
	const struct record *r = &w->records[place];
	size_t i = 0;
	for (enum part p = OF_REQUEST; p < N_PARTS; p++) {
		for (; i < r->ends[p]; i++) {
			act(w, r->runs[i], (uint32_t)(place * N_PARTS + p));
		}
	}
}

/* Text that leaks from another request is most often its end. */
static struct span last_bytes(struct span s)
{
	size_t cut = s.len > CROSSTALK_TEXT ? s.len - CROSSTALK_TEXT : 0;
	return (struct span){s.data + cut, s.len - cut};
}

static struct span first_bytes(struct span s)
{
	return (struct span){s.data, MIN(s.len, (size_t)CROSSTALK_TEXT)};
}

static void read_runs(struct record *r, const struct span parts[N_PARTS])
{
	uint64_t runs[N_PARTS * WORD_RUNS_LIMIT];
	size_t n = 0;
	for (enum part p = OF_REQUEST; p < N_PARTS; p++) {
		n += p == OF_TEST && r->same ? 0 : word_runs_read(parts[p], runs + n);
		r->ends[p] = n;
	}
	r->runs = xmalloc(n * sizeof(*runs) + 1);
	memcpy(r->runs, runs, n * sizeof(*runs));
}

/* Adds a record; it replaces the oldest one. */
static void add_record(struct crosstalk_window *w, const struct crosstalk_pair *pair)
{
	const struct span parts[N_PARTS] = {
	        last_bytes(pair->request), first_bytes(pair->base), first_bytes(pair->test)};
	size_t place = w->n++ % WINDOW;
	struct record *r = &w->records[place];
	each_run(w, place, remove_posting);
	free(r->runs);
	*r = (struct record){
	        .exchange = pair->exchange,
	        .times = {[OF_BASE] = pair->base_time, [OF_TEST] = pair->test_time},
	        .differ = pair->differ,
	        .greedy = pair->greedy,
	        .same = span_equal(parts[OF_BASE], parts[OF_TEST]),
	        .request = XXH3_64bits(parts[OF_REQUEST].data, parts[OF_REQUEST].len),
	};
	read_runs(r, parts);
	each_run(w, place, put);
}

/* Whether both requests were in flight at the same time in the engine that gave this part. */
static bool overlap(const struct record *a, const struct record *b, enum part part)
{
	const struct crosstalk_time *x = &a->times[part], *y = &b->times[part];
	return x->start_ns < y->end_ns && y->start_ns < x->end_ns;
}

/* Whether an answer has a rare run in common with another exchange (any), and with one that was in
 * flight at the same time in the engine that gave this part (now). */
struct shared_runs {
	bool any, in_flight[N_PARTS];
};

/* Searches the other texts for one run of the answer `part`. */
static void find_run(const struct crosstalk_window *w, size_t self, enum part part, uint64_t run,
        struct shared_runs *ret)
{
	struct shared_runs shared = *ret;
	const struct record *own = &w->records[self];
	size_t n_texts = 0;
	uint32_t before = UINT32_MAX;
	for (uint32_t i = bucket_of(w, run)->first; i != 0; i = w->postings[i].next) {
		const struct posting *p = &w->postings[i];
		size_t place = p->text / N_PARTS;
		enum part of = (enum part)(p->text % N_PARTS);
		const struct record *other = &w->records[place];
		if (p->run != run || p->text == before) {
			continue;
		}
		before = p->text;
		n_texts += other->same && of == OF_BASE ? 2 : 1;
		bool is_own = place == self && of != part;
		/* The answer's own request or the other side has the run too, or the run is a
		 * common phrase. */
		if (is_own || n_texts > RARE_MOST) {
			return;
		}
		/* a repeat of the same request has the same runs anyway */
		if (place != self && other->request != own->request) {
			shared.any = true;
			shared.in_flight[OF_BASE] |= overlap(own, other, OF_BASE);
			shared.in_flight[OF_TEST] |= overlap(own, other, OF_TEST);
		}
	}
	*ret = shared;
}

static double share_in_flight(const struct crosstalk_window *w, size_t self, enum part part)
{
	size_t all = MIN(w->n, WINDOW), n = 0;
	for (size_t i = 0; i < all; i++) {
		n += i != self && overlap(&w->records[self], &w->records[i], part);
	}
	return all > 1 ? (double)n / (double)(all - 1) : 1;
}

static struct shared_runs find_shared_runs(
        const struct crosstalk_window *w, size_t self, enum part part)
{
	const struct record *r = &w->records[self];
	struct shared_runs shared = {0};
	for (size_t i = r->ends[part - 1];
	        i < r->ends[part] && !(shared.in_flight[OF_BASE] && shared.in_flight[OF_TEST]);
	        i++) {
		find_run(w, self, part, r->runs[i], &shared);
	}
	return shared;
}

/* control: the runs that the other side's answer shares. */
static void judge_answer(const struct crosstalk *t, const struct crosstalk_window *w, size_t self,
        enum part part, const struct shared_runs *shared, const struct shared_runs *control)
{
	const struct record *r = &w->records[self];
	if (shared->any || control->in_flight[part]) {
		const struct row row = {
		        .type = CROSSTALK_ROW,
		        .crosstalk =
		                {
		                        .exchange = r->exchange,
		                        .base = w->base,
		                        .test = w->test,
		                        .of_base = part == OF_BASE,
		                        .under_way = shared->in_flight[part],
		                        .elsewhere = shared->any && !shared->in_flight[part],
		                        .control = control->in_flight[part],
		                        .chance = share_in_flight(w, self, part),
		                        .greedy = r->greedy,
		                },
		};
		row_sink_put(t->sink, &row, NULL);
	}
}

static void judge_next(const struct crosstalk *t, struct crosstalk_window *w)
{
	size_t self = w->judged++ % WINDOW;
	if (w->records[self].differ && !w->records[self].same) {
		struct shared_runs base = find_shared_runs(w, self, OF_BASE);
		struct shared_runs test = find_shared_runs(w, self, OF_TEST);
		judge_answer(t, w, self, OF_BASE, &base, &test);
		judge_answer(t, w, self, OF_TEST, &test, &base);
	}
}

void crosstalk_add(struct crosstalk *t, const struct crosstalk_pair *pair)
{
	struct crosstalk_window *w = window_of(t, pair->base_name, pair->test_name);
	if (w) {
		add_record(w, pair);
		if (w->n - w->judged > CROSSTALK_AROUND) {
			judge_next(t, w);
		}
	}
}

void crosstalk_end(struct crosstalk *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct crosstalk_window *w = &t->windows[i];
		while (w->judged < w->n) {
			judge_next(t, w);
		}
		for (size_t k = 0; k < WINDOW; k++) {
			free(w->records[k].runs);
		}
		free(w->base);
		free(w->test);
		free(w->records);
		free(w->buckets);
		free(w->postings);
	}
	free(t->windows);
	t->windows = NULL;
	t->n = 0;
}
