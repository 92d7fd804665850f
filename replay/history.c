/*
 * history - prepares a later turn for sending: if its history is to have the answers that this run
 * got, they are inserted.
 */
#include "base/clock.h"
#include "replay/runner_parts.h"

static bool wants_history(const struct runner *r, const struct job *j)
{
	bool wanted = r->s->sessions && (!r->s->only_open || j->source.history_open);
	return wanted && j->what.after != PLAN_NONE;
}

bool history_must_wait(const struct runner *r, const struct job *j)
{
	return wants_history(r, j) && r->send_state[j->what.after] == SEND_UNSENT;
}

bool history_fill(struct runner *r, struct job *j)
{
	if (!wants_history(r, j)) {
		return true;
	}
	struct span body = buf_span(&j->source.body);
	const struct target *t = runner_target(r, j);
	struct kind_key key = job_kind(j, t);
	bool refused = false;
	j->unfit = sessions_put(r->s->sessions, j->send, body, &j->with_history);
	if (!j->unfit) {
		kinds_get(r->kinds, &key, clock_mono(), &refused);
		j->unfit = job_make(j, t, !refused);
	}
	return !j->unfit;
}
