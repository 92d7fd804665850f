#include "backends/scoring/score_task.h"

#include "base/mem.h"

static bool record(
        const struct score_task *t, const struct dialect *dialect, const struct scorer_result *r)
{
	struct annotation a = t->about;
	a.dialect = dialect;
	a.endpoint = ENDPOINT_COMPLETION;
	a.request = buf_span(&r->request);
	a.answer = &r->answer;
	a.start_ns = r->start_ns;
	a.marks = LEG_SCORED | r->marks;
	a.at = r->at;
	return annotation_record(&a, t->recorder, t->book);
}

bool score_task_run(struct scorer *s, const struct score_task *t, struct scorer_result *ret,
        uint64_t *ret_tokens)
{
	struct score_place place;
	*ret_tokens = 0;
	scorer_score(s, t->subject, t->model, ret);
	if (ret->end != QUESTION_DONE) {
		return false;
	}
	if (!record(t, scorer_dialect(s), ret)) {
		ret->end = QUESTION_FAILED;
		ret->why = xstrdup("the engine's answer could not be stored");
	} else if (score_columns(ret->reading, &place)) {
		*ret_tokens = place.columns->n - place.tail - ret->at;
	}
	return true;
}
