#include "cli/opinions/judge_mathematics.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/compare/meaning/formula.h"
#include "backends/aside.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/opinions/crew.h"
#include "cli/opinions/judge_texts.h"

#define SECOND_NS UINT64_C(1000000000)
#define BATCH_PAIRS (MATHEMATICS_BATCH / 2) /* each in two orders */

struct work {
	const struct judge_mathematics *s;
	struct mathematics library;
	const struct judge_list *list;
	atomic_bool stopped;
	struct crew *crew;
	struct capture *capture; /* under the crew's lock, as is all below it */
	struct judge_tally tally;
};

/* Pairs of the list that one call of the library is asked about. */
struct batch {
	size_t first, n;
};

/* One pair in one order. */
struct asked_pair {
	const struct judge_item *item;
	bool base_first, recorded;
	uint64_t body_bytes;
	char *base, *test; /* LaTeX */
};

struct asked_batch {
	struct asked_pair items[MATHEMATICS_BATCH];
	struct mathematics_question asked[MATHEMATICS_BATCH];
	struct mathematics_reply replies[MATHEMATICS_BATCH];
	size_t n, answered;
	uint64_t start_ns, took_us; /* of each, on average */
};

static void add(struct asked_batch *to, const struct judge_item *item, bool base_first,
        const struct judge_texts *t, const struct formula *base, const struct formula *test)
{
	struct asked_pair *q = &to->items[to->n];
	*q = (struct asked_pair){
	        .item = item,
	        .base_first = base_first,
	        .body_bytes = t->body_bytes,
	        .base = span_dup(base->latex),
	        .test = span_dup(test->latex),
	};
	struct span x = span_of(q->base), y = span_of(q->test);
	to->asked[to->n++] = (struct mathematics_question){base_first ? x : y, base_first ? y : x};
}

/* Under the lock. */
static void read_pair(
        struct work *w, const struct judge_item *item, struct format *forms, struct asked_batch *to)
{
	struct judge_texts t;
	struct formula base, test;
	bool good = judge_texts_read(w->capture, item, &t);
	good = good && formula_read(&forms->a, buf_span(&t.base), &base) &&
	       formula_read(&forms->b, buf_span(&t.test), &test);
	if (!good) {
		reasons_add(&w->tally.failed, "the answers can't be read any more");
	}
	if (good && item->need_base_first) {
		add(to, item, true, &t, &base, &test);
	}
	if (good && item->need_test_first) {
		add(to, item, false, &t, &base, &test);
	}
	judge_texts_finish(&t);
}

static bool record(const struct work *w, const struct asked_batch *all, size_t i)
{
	const struct judge_mathematics *s = w->s;
	const struct asked_pair *q = &all->items[i];
	const struct mathematics_reply *r = &all->replies[i];
	struct buf request = {0}, words = {0};
	struct call_answer answer;
	buf_append_str(&request, "{\"model\":");
	json_put_string(&request, span_of(s->version));
	buf_append_str(&request, ",\"first\":");
	json_put_string(&request, all->asked[i].first);
	buf_append_str(&request, ",\"second\":");
	json_put_string(&request, all->asked[i].second);
	buf_append_char(&request, '}');
	buf_printf(&words, "%s%s{\"verdict\":\"%s\"}", r->why, *r->why ? ".\n" : "",
	        opinion_name(r->verdict));
	aside_put_reply(s->version, buf_span(&words), all->took_us, &answer);
	const struct aside a = {
	        .backend = s->judge,
	        .url = "sandbox:",
	        .role = ROLE_REFERENCE,
	        .dialect = &dialect_generic,
	        .endpoint = ENDPOINT_CHAT,
	        .in_flight = s->concurrency,
	        .exchange = q->item->exchange,
	        .body_bytes = q->body_bytes,
	        .request = buf_span(&request),
	        .answer = &answer,
	        .start_ns = all->start_ns,
	        .marks = LEG_SCORED | LEG_JUDGING,
	        .of = q->base_first ? q->item->base : q->item->test,
	        .against = q->base_first ? q->item->test : q->item->base,
	        .at = (uint32_t)q->item->choice,
	        .waits = true,
	};
	bool good = aside_record(&a, s->recorder, s->book);
	call_answer_finish(&answer);
	buf_finish(&request);
	buf_finish(&words);
	return good;
}

/* Under the lock. A pair is judged when all that was missing of it is recorded. */
static void count(struct work *w, const struct asked_batch *all, const char *why)
{
	struct judge_tally *t = &w->tally;
	for (size_t i = 0; i < all->n; i++) {
		const struct asked_pair *q = &all->items[i];
		bool last = i + 1 == all->n || all->items[i + 1].item != q->item;
		bool whole = q->recorded && (i == 0 || all->items[i - 1].item != q->item ||
		                                    all->items[i - 1].recorded);
		t->judged += last && whole;
		if (q->recorded) {
			t->replies++;
			t->said[all->replies[i].verdict]++;
		} else if (i < all->answered) {
			reasons_add(&t->failed, "the verdict could not be stored");
		} else if (why) {
			reasons_add(&t->failed, why);
		}
	}
}

static void asked_batch_destroy(struct asked_batch *q)
{
	for (size_t i = 0; i < q->n; i++) {
		free(q->items[i].base);
		free(q->items[i].test);
	}
	for (size_t i = 0; i < q->answered; i++) {
		mathematics_reply_finish(&q->replies[i]);
	}
	free(q);
}

static void serve(void *arg, unsigned worker, void *piece)
{
	struct work *w = arg;
	struct batch *batch = piece;
	struct asked_batch *all = xcalloc(1, sizeof(*all));
	struct format forms = {0};
	char *why = NULL;
	crew_lock(w->crew);
	for (size_t i = 0; i < batch->n; i++) {
		read_pair(w, judge_list_item(w->list, batch->first + i), &forms, all);
	}
	crew_unlock(w->crew);
	format_finish(&forms);
	uint64_t began = clock_mono();
	all->start_ns = clock_wall();
	all->answered = mathematics_ask(
	        &w->library, MATHEMATICS_PAIR, all->asked, all->n, all->replies, &why);
	all->took_us = (clock_mono() - began) / 1000 / MAX(all->answered, 1);
	for (size_t i = 0; i < all->answered; i++) {
		all->items[i].recorded = record(w, all, i);
	}
	crew_lock(w->crew);
	count(w, all, why);
	crew_unlock(w->crew);
	asked_batch_destroy(all);
	free(batch);
	free(why);
}

static void drop(void *arg, void *piece)
{
	free(piece);
}

static void stop(void *arg)
{
	struct work *w = arg;
	atomic_store(&w->stopped, true);
}

static void show(void *arg, double seconds, FILE *to)
{
	const struct work *w = arg;
	const struct judge_tally *t = &w->tally;
	fprintf(to, "%" PRIu64 " of %" PRIu64 " questions, %.1f a second", t->replies,
	        judge_list_requests(w->list), seconds > 0 ? (double)t->replies / seconds : 0);
	if (t->failed.total) {
		fprintf(to, ", %" PRIu64 " failed", t->failed.total);
	}
}

void judge_mathematics_work(struct capture *c, const struct judge_list *list,
        const struct judge_mathematics *s, struct judge_tally *ret)
{
	struct work w = {.s = s, .library = s->library, .list = list, .capture = c};
	const struct crew_settings crew = {
	        .n = s->concurrency,
	        .arg = &w,
	        .work = serve,
	        .drop = drop,
	        .stop = stop,
	        .show = show,
	};
	size_t n = judge_list_pairs(list);
	size_t share = (n + s->concurrency - 1) / s->concurrency;
	size_t most = MIN(MAX(share, (size_t)1), (size_t)BATCH_PAIRS);
	uint64_t began = clock_mono();
	bool going = true;
	w.library.stopped = &w.stopped;
	w.crew = crew_start(&crew);
	for (size_t i = 0; going && i < n; i += most) {
		struct batch *batch = xcalloc(1, sizeof(*batch));
		*batch = (struct batch){i, MIN(most, n - i)};
		going = crew_give(w.crew, batch);
	}
	w.tally.stopped = crew_finish(w.crew);
	w.tally.seconds = (clock_mono() - began) / SECOND_NS;
	*ret = w.tally;
}
