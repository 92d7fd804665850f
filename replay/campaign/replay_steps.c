#include "replay/campaign/replay_steps.h"

#include <time.h>

#include "base/clock.h"
#include "base/interrupt.h"

#define CHECK_NS 50000000

/* Pauses for ns. False: a signal interrupted it. */
static bool pause_for(uint64_t ns)
{
	const struct timespec interval = {.tv_nsec = CHECK_NS};
	struct interrupt interrupt;
	uint64_t began = clock_mono();
	interrupt_begin(&interrupt);
	while (!interrupt_caught() && clock_mono() - began < ns) {
		nanosleep(&interval, NULL);
	}
	interrupt_end(&interrupt);
	return !interrupt_caught();
}

/* A step in progress: its state at its middle, and at its end. */
struct watch {
	struct progress_view *view;
	double seconds; /* of the whole step */
	struct step_moment half, end;
};

static void on_tick(void *arg, const struct load_figures *f, uint64_t left, bool last)
{
	struct watch *w = arg;
	double seconds = f->offer.seconds;
	const struct step_moment here = {
	        f->sent + f->offer.without_slot, f->in_flight + f->offer.without_slot, seconds};
	if (seconds > w->end.seconds) { /* otherwise the step sends nothing new any more */
		w->half = w->half.seconds < w->seconds / 2 ? here : w->half;
		w->end = here;
	}
	if (w->view) {
		progress_view_tick(w->view, f, left, last);
	}
}

static bool send_step(
        struct replay_job *j, struct replay_store *store, struct steps *s, double rate)
{
	struct load_figures figures = {.goals = j->figures.goals};
	uint64_t duration = s->pace->step;
	struct watch w = {.view = j->view, .seconds = (double)duration / 1e9};
	/* Each step has its own random arrivals. A burst that one happens to have is not in its
	 * second try, nor in all other steps. */
	const struct replay_step step = {rate, duration, j->o->seed + s->n, on_tick, &w};
	replay_job_send_step(j, store, &step, &figures);
	bool whole = j->result.end == RUNNER_TIME;
	steps_add(s, rate, &figures, &w.half, &w.end, whole);
	load_figures_merge(&j->figures, &figures);
	load_figures_finish(&figures);
	if (j->view) {
		progress_view_step(j->view, &s->items[s->n - 1]);
	}
	return whole;
}

/* Whether there is time for one more step. */
static bool has_time(const struct replay_job *j, const struct steps *s, uint64_t began)
{
	uint64_t all = j->o->duration;
	return !all || clock_mono() + steps_length(s) <= began + all;
}

/* Counts each request as often as --repeats says, else once. Further repeats exist only to
 * supply the steps. They count only if their time came. */
static void count_sends(struct replay_job *j)
{
	uint32_t requested = MAX(j->o->repeats, 1u);
	j->report.sends = 0;
	j->result.left = 0;
	for (size_t i = 0; i < j->plan.n_sends; i++) {
		const struct plan_send *s = &j->plan.sends[i];
		bool counts = j->done[i] || s->due || s->repeat < requested;
		j->report.sends += counts;
		j->result.left += counts && !j->done[i];
		j->report.left_due += s->due && !j->done[i];
	}
}

void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *s)
{
	uint64_t began = clock_mono();
	bool going = true;
	double rate;
	steps_init(s, &j->o->pace);
	while (going && steps_next(s, &rate) && has_time(j, s, began)) {
		going = pause_for(steps_pause(s));
		if (going) {
			going = send_step(j, store, s, rate);
		} else {
			j->result.end = RUNNER_STOPPED;
		}
	}
	if (!s->over) {
		s->end = going                          ? STEPS_TIME
		         : j->result.end == RUNNER_DONE ? STEPS_EXHAUSTED
		                                        : STEPS_CUT;
		s->over = true;
	}
	j->report.measured = going;
	j->result.end = going ? RUNNER_DONE : j->result.end;
	j->report.steps = s;
	count_sends(j);
}
