#include "backends/scoring/score_task.h"

#include "backends/annotation.h"
#include "base/mem.h"

static bool record(
        const struct score_task *t, const struct dialect *dialect, const struct scorer_result *r)
{
	const struct annotation a = {
	        .backend = t->backend,
	        .url = t->url,
	        .role = t->role,
	        .dialect = dialect,
	        .manifest = t->manifest,
	        .endpoint = ENDPOINT_COMPLETION,
	        .in_flight = t->in_flight,
	        .exchange = t->exchange,
	        .body_bytes = t->body_bytes,
	        .request = buf_span(&r->request),
	        .answer = &r->answer,
	        .start_ns = r->start_ns,
	        .marks = LEG_SCORED | r->marks,
	        .of = t->leg,
	        .at = r->at,
	        .waits = t->waits,
	};
	return annotation_record(&a, t->recorder, t->book);
}

bool score_task_run(struct scorer *s, const struct score_task *t, struct scorer_result *ret,
        uint64_t *ret_tokens)
{
	struct score_place place;
	*ret_tokens = 0;
	scorer_score(s, t->subject, t->model, ret);
	if (ret->end != SCORER_DONE) {
		return false;
	}
	if (!record(t, scorer_dialect(s), ret)) {
		ret->end = SCORER_FAILED;
		ret->why = xstrdup("the engine's answer could not be stored");
	} else if (score_columns(ret->reading, &place)) {
		*ret_tokens = place.columns->n - place.tail - ret->at;
	}
	return true;
}
