/*
 * offered_load - counts the requests that an open loop should have sent by now, and what the unsent
 * ones wait for.
 *
 * A second schedule counts the due times that have passed. The times of the requests in the window
 * are not all of them: turns that wait may fill the window, and no later request then gets a time.
 */
#include "base/clock.h"
#include "replay/runner_parts.h"

/* Counts the requests in the window that are due but wait for the answer to the previous turn. */
static uint64_t count_turns(const struct runner *r, uint64_t now)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_window && r->window[i]->intended <= now; i++) {
		n += runner_turn_at(r, r->window[i]) > now;
	}
	return n;
}

void offered_load_update(struct runner *r)
{
	struct load_figures_offer *o = &r->figures->offer;
	uint64_t now = MIN(clock_mono(), runner_end(r) - 1);
	if (r->stopping || r->s->load != LOAD_RATE || !r->start || now < r->start) {
		return;
	}
	o->seconds = (double)(now - r->start) / 1e9;
	uint64_t passed = schedule_due(&r->ahead, now - r->start);
	bool all_taken = r->feeder && feeder_is_done(r->feeder);
	o->due = all_taken ? MIN(passed, r->schedule.n) : passed;
	o->lacking = passed - o->due;
	uint64_t over = r->figures->sent + r->n_unfit;
	o->waiting = o->due > over ? o->due - over : 0;
	bool full = r->figures->in_flight >= r->in_flight_limit ||
	            r->n_awaiting_retry >= r->in_flight_limit;
	uint64_t turns = full ? count_turns(r, now) : o->waiting;
	o->without_slot = o->waiting > turns ? o->waiting - turns : 0;
}

/* Marks the next n sends after the latest one in the window as due. They would have got these due
 * times if the window had had room. */
static void mark_untaken(struct runner *r, uint64_t n)
{
	struct plan *p = r->s->plan;
	uint64_t first = r->schedule.n ? (uint64_t)r->latest + 1 : 0;
	for (uint64_t i = first; i < p->n_sends && n > 0; i++) {
		if (r->send_state[i] == SEND_PENDING) {
			p->sends[i].due = true;
			n--;
		}
	}
}

void offered_load_mark(struct runner *r)
{
	struct plan *p = r->s->plan;
	uint64_t taken = r->schedule.n - r->n_window, due = r->figures->offer.due;
	if (r->s->load == LOAD_CLOSED) {
		return;
	}
	for (size_t i = 0; i < p->n_sends; i++) {
		p->sends[i].due = p->sends[i].due || (!p->sends[i].skipped && r->send_state[i]);
	}
	for (size_t i = 0; i < r->n_window && r->window[i]->intended <= r->stopped; i++) {
		p->sends[r->window[i]->send].due = true;
		taken++;
	}
	if (r->s->load == LOAD_RATE && due > taken) {
		mark_untaken(r, due - taken);
	}
}
