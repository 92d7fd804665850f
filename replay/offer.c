/*
 * offer - how much of what a rate asks for has been sent by now, and what the rest waits for.
 *
 * The times that have come are counted in a schedule of their own: those that the window's requests have been given are not all, when
 * turns that wait fill it.
 */
#include "base/clock.h"
#include "replay/runner_parts.h"

static bool waits_for_turn(const struct runner *r, const struct job *j, uint64_t now)
{
	uint32_t after = j->what.after;
	return after != PLAN_NONE &&
	       (!r->over[after] || think_until(&r->think, after, j->wall_ns, j->delay) > now);
}

/* Of the window's, those whose time has come and that wait for the turn before. */
static uint64_t count_turns(const struct runner *r, uint64_t now)
{
	uint64_t n = 0;
	for (size_t i = 0; i < r->n_window && r->window[i]->intended <= now; i++) {
		n += waits_for_turn(r, r->window[i], now);
	}
	return n;
}

void offer_look(struct runner *r)
{
	struct figures_offer *o = &r->figures->offer;
	uint64_t now = clock_mono();
	if (r->stopping || r->s->load != LOAD_RATE || !r->start || now < r->start) {
		return;
	}
	o->due = schedule_come(&r->ahead, now - r->start);
	uint64_t over = r->figures->sent + r->n_unfit;
	o->waiting = o->due > over ? o->due - over : 0;
	bool full = r->figures->in_flight >= r->places || r->n_resting >= r->places;
	uint64_t turns = full ? count_turns(r, now) : o->waiting;
	o->crowded = o->waiting > turns ? o->waiting - turns : 0;
}
