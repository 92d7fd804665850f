#include "cli/opinions/judge_mathematics.h"

#include <stdlib.h>

#include "analyzer/compare/meaning/formula.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cli/opinions/judge_texts.h"

static void add(struct mathematics_tasks *to, const struct judge_item *item, bool base_first,
        uint64_t body_bytes, const struct formula *base, const struct formula *test)
{
	const struct mathematics_task task = {
	        .exchange = item->exchange,
	        .of = base_first ? item->base : item->test,
	        .against = base_first ? item->test : item->base,
	        .choice = item->choice,
	        .body_bytes = body_bytes,
	        .first = span_dup(base_first ? base->latex : test->latex),
	        .second = span_dup(base_first ? test->latex : base->latex),
	};
	mathematics_tasks_add(to, &task);
}

/* Adds the questions of one pair. False: the pair cannot be read. */
static bool add_pair(struct capture *c, const struct judge_item *item, struct format *room,
        struct mathematics_tasks *to)
{
	struct judge_texts t;
	struct formula base, test;
	bool good = judge_texts_read(c, item, &t);
	good = good && formula_read(&room->a, buf_span(&t.base), &base) &&
	       formula_read(&room->b, buf_span(&t.test), &test);
	if (good && item->need_base_first) {
		add(to, item, true, t.body_bytes, &base, &test);
	}
	if (good && item->need_test_first) {
		add(to, item, false, t.body_bytes, &base, &test);
	}
	judge_texts_finish(&t);
	return good;
}

/* A pair is judged once all its missing verdicts are recorded. */
static void count_pair(
        const struct mathematics_tasks *tasks, size_t from, size_t to, struct judge_tally *t)
{
	bool whole = to > from;
	for (size_t i = from; i < to; i++) {
		const struct mathematics_task *task = &tasks->items[i];
		whole = whole && task->recorded;
		t->replies += task->recorded;
		t->replies_by_opinion[task->verdict] += task->recorded;
	}
	t->judged += whole;
}

void judge_mathematics(struct capture *c, const struct judge_list *list, struct mathematics_job job,
        struct judge_tally *ret)
{
	size_t n = judge_list_pairs(list), *ends = xcalloc(n + 1, sizeof(*ends));
	struct mathematics_tasks tasks = {0};
	struct format room = {0};
	uint64_t began = clock_mono();
	*ret = (struct judge_tally){0};
	for (size_t i = 0; i < n; i++) {
		if (!add_pair(c, &list->items[i], &room, &tasks)) {
			error_tally_add(&ret->failed, "the answers can no longer be read");
		}
		ends[i + 1] = tasks.n;
	}
	format_finish(&room);
	job.use = MATHEMATICS_PAIR;
	job.failed = &ret->failed;
	ret->stopped = mathematics_work(&job, &tasks);
	for (size_t i = 0; i < n; i++) {
		count_pair(&tasks, ends[i], ends[i + 1], ret);
	}
	ret->seconds = (clock_mono() - began) / SECOND_NS;
	mathematics_tasks_finish(&tasks);
	free(ends);
}
