/*
 * runner_sends - what has become of each send, and whether sending goes on.
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
	r->over = xcalloc(p->n_sends + 1, sizeof(*r->over));
	for (size_t i = 0; i < p->n_sends; i++) {
		const struct plan_send *s = &p->sends[i];
		r->over[i] = s->unfit ? OVER_UNFIT : s->skipped ? OVER_SENT : OVER_NOT;
	}
}

static bool is_left(const struct runner *r, size_t send)
{
	return r->over[send] == OVER_NOT || r->over[send] == OVER_UNSENT;
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
		p->sends[i].unfit = r->over[i] == OVER_UNFIT;
	}
	free(r->over);
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

void sends_note_over(struct runner *r, uint32_t send, enum over how)
{
	r->over[send] = (uint8_t)how;
	think_time_over(r->s->think, send, clock_mono());
	r->figures->undone += how == OVER_UNSENT;
	if (r->s->sessions && how != OVER_UNSENT) {
		sessions_over(r->s->sessions, send);
	}
}

static void look_at_errors(struct runner *r)
{
	const struct load_figures *f = r->figures;
	uint64_t failed = load_figures_failed(f), answers = load_figures_answered(f) + failed;
	if (answers >= ERRORS_FROM && (double)failed > r->s->error_limit * (double)answers) {
		sends_stop(r, RUNNER_ERRORS);
	}
}

void sends_retried(struct runner *r, uint32_t send, const char *why)
{
	struct load_figures *share =
	        r->s->shares ? &r->s->shares[r->s->plan->sends[send].target] : NULL;
	if (why) {
		load_figures_retry(r->figures, why);
	} else {
		r->figures->retried++;
	}
	if (share && why) {
		error_tally_add(&share->retries, why);
	} else if (share) {
		share->retried++;
	}
}

void sends_answered(struct runner *r, uint32_t send, const struct load_figures_answer *a)
{
	struct load_figures_answer of_share = *a;
	load_figures_answer(r->figures, a);
	if (r->s->shares) {
		of_share.resting = true; /* shares don't count what is in flight */
		load_figures_answer(&r->s->shares[r->s->plan->sends[send].target], &of_share);
	}
}

void sends_over(struct runner *r, uint32_t send, bool unsent)
{
	struct target_connections *o = &r->outlets[r->s->plan->sends[send].target];
	sends_note_over(r, send, unsent ? OVER_UNSENT : OVER_SENT);
	target_connections_send_ended(o, unsent);
	if (target_connections_is_gone(o)) {
		sends_stop(r, RUNNER_GONE);
	}
	look_at_errors(r);
	/* Do not dispatch from here. Requests that fail at once would recurse ever deeper. */
	uv_async_send(&r->wake);
}
