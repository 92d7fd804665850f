/*
 * runner_sends - the state of each send, when sending stops, and the history of later turns.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "replay/runner_parts.h"

/* fewest answers for which a share of errors is meaningful */
#define ERRORS_FROM 20

void sends_init(struct runner *r)
{
	const struct plan *p = r->s->plan;
	r->send_state = xcalloc(p->n_sends + 1, sizeof(*r->send_state));
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct plan_send *s = &p->sends[i];
		r->send_state[i] = s->unfit ? SEND_UNFIT : s->skipped ? SEND_DONE : SEND_PENDING;
	}
}

static bool is_left(const struct runner *r, size_t send)
{
	return r->send_state[send] == SEND_PENDING || r->send_state[send] == SEND_UNSENT;
}

uint64_t sends_left(const struct runner *r)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->s->plan->n_sends; i++) {
		n += is_left(r, i);
	}
	return n;
}

void sends_finish(struct runner *r)
{
	struct plan *p = r->s->plan;
	r->result->left = sends_left(r);
	for (size_t i = 0; i < p->n_sends; i++) {
		p->sends[i].skipped = !is_left(r, i);
		p->sends[i].unfit = r->send_state[i] == SEND_UNFIT;
	}
	free(r->send_state);
}

void sends_stop(struct runner *r, enum runner_end why)
{
	if (!r->stopping) {
		offered_load_update(r);
		r->stopping = true;
		r->stopped = MIN(clock_mono(), runner_end(r) - 1);
		r->result->end = why;
	}
}

void sends_set_state(struct runner *r, uint32_t send, enum send_state state)
{
	r->send_state[send] = (uint8_t)state;
	think_time_send_ended(r->s->think, send, clock_mono());
	r->figures->undone += state == SEND_UNSENT;
	if (r->s->sessions && state != SEND_UNSENT) {
		sessions_send_ended(r->s->sessions, send);
	}
}

void sends_retried(struct runner *r, uint32_t send, const char *why)
{
	struct load_figures *share =
	        r->s->shares ? &r->s->shares[r->s->plan->sends[send].target] : NULL;
	if (why) {
		load_figures_retry(r->figures, why);
	} else {
		r->figures->injection_refused++;
	}
	if (share && why) {
		error_tally_add(&share->retries, why);
	} else if (share) {
		share->injection_refused++;
	}
}

void sends_answered(struct runner *r, uint32_t send, const struct load_figures_answer *a)
{
	struct load_figures_answer of_share = *a;
	load_figures_answer(r->figures, a);
	if (r->s->shares) {
		of_share.was_awaiting_retry = true; /* shares don't count what is in flight */
		load_figures_answer(&r->s->shares[r->s->plan->sends[send].target], &of_share);
	}
}

void sends_ended(struct runner *r, uint32_t send, bool unsent)
{
	struct target_connections *o = &r->connections[r->s->plan->sends[send].target];
	sends_set_state(r, send, unsent ? SEND_UNSENT : SEND_DONE);
	target_connections_send_ended(o, unsent);
	if (target_connections_is_gone(o)) {
		sends_stop(r, RUNNER_GONE);
	}
	const struct load_figures *f = r->figures;
	uint64_t failed = load_figures_failed(f), answers = load_figures_answered(f) + failed;
	if (answers >= ERRORS_FROM && (double)failed > r->s->error_limit * (double)answers) {
		sends_stop(r, RUNNER_ERRORS);
	}
	/* Do not dispatch from here. Requests that fail at once would recurse ever deeper. */
	uv_async_send(&r->wake);
}

/* Prepares a later turn for sending: if its history is to have the answers that this run got, they
 * are inserted. */

static bool wants_history(const struct runner *r, const struct job *j)
{
	bool wanted = r->s->sessions && (!r->s->only_open || j->source.history_open);
	return wanted && j->planned.after != PLAN_NONE;
}

bool history_must_wait(const struct runner *r, const struct job *j)
{
	return wants_history(r, j) && r->send_state[j->planned.after] == SEND_UNSENT;
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
