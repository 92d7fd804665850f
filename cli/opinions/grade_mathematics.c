#include "cli/opinions/grade_mathematics.h"

#include <string.h>

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/meaning.h"
#include "base/clock.h"
#include "capture/leg_flaw.h"

struct search {
	struct capture *c;
	const struct capture_exchange *e;
	struct span right; /* of the exchange */
	struct forms *room;
	uint64_t limit;
	struct mathematics_tasks *tasks;
	struct grade_tally *tally;
};

static bool is_graded(const struct capture_exchange *e, struct id leg, int32_t choice)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		if (grade_is_of(row, leg, choice) && row->backend &&
		        strcmp(row->backend, MATHEMATICS_JUDGE) == 0) {
			return true;
		}
	}
	return false;
}

static void find_choice(struct search *s, struct id leg, const struct choice *choice)
{
	struct buf answer = {0};
	struct formula formula;
	if (is_graded(s->e, leg, choice->index)) {
		s->tally->already++;
		return;
	}
	choice_answer(choice, &answer);
	bool found = formula_read(s->room, buf_span(&answer), &formula);
	if (!found) {
		error_tally_add(&s->tally->unfit, meaning_is_cut(choice)
		                                          ? "cut before the value"
		                                          : "without a marked mathematical value");
	} else if (s->tasks->n < s->limit) {
		const struct mathematics_task task = {
		        .exchange = s->e->row.id,
		        .of = leg,
		        .choice = choice->index,
		        .body_bytes = capture_request_bytes(s->c, s->e),
		        .first = span_dup(s->right),
		        .second = span_dup(formula.latex),
		};
		mathematics_tasks_add(s->tasks, &task);
	}
	buf_finish(&answer);
}

static void find_leg(struct search *s, size_t leg)
{
	const struct leg_row *row = &s->e->legs[leg].row;
	struct reading *r = NULL;
	if ((row->marks & LEG_SCORED) || leg_flaw(row, NULL) != FLAW_NONE) {
		return;
	}
	if (capture_reading(s->c, s->e, leg, &r) < 0) {
		error_tally_add(&s->tally->unfit, "not in the capture");
		return;
	}
	for (size_t i = 0; i < r->n_choices; i++) {
		find_choice(s, row->id, &r->choices[i]);
	}
	reading_destroy(r);
}

void grade_mathematics_find(
        struct capture *c, uint64_t limit, struct mathematics_tasks *tasks, struct grade_tally *ret)
{
	struct format room = {0};
	struct capture_exchange e;
	struct buf right = {0};
	size_t before = tasks->n;
	while (capture_next(c, &e) == 1) {
		buf_clear(&right);
		bool wanted = !e.absent && endpoint_is_openai(e.row.endpoint) &&
		              formula_gold_read(span_of(e.row.labels.gold), &right);
		struct search s = {c, &e, buf_span(&right), &room.a, limit, tasks, ret};
		for (size_t i = 0; wanted && i < e.n_legs; i++) {
			find_leg(&s, i);
		}
		capture_exchange_finish(&e);
	}
	ret->wanted += tasks->n - before;
	buf_finish(&right);
	format_finish(&room);
	capture_rewind(c);
}

void grade_mathematics(
        struct mathematics_tasks *tasks, struct mathematics_job job, struct grade_tally *ret)
{
	uint64_t began = clock_mono();
	job.use = MATHEMATICS_GOLD;
	job.name = MATHEMATICS_JUDGE;
	job.failed = &ret->failed;
	ret->stopped |= mathematics_work(&job, tasks);
	for (size_t i = 0; i < tasks->n; i++) {
		const struct mathematics_task *t = &tasks->items[i];
		ret->graded[mathematics_grade(t->verdict)] += t->recorded;
	}
	ret->seconds += (clock_mono() - began) / SECOND_NS;
}
