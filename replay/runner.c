#include "replay/runner.h"

#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "backends/injection/kinds.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/mem.h"
#include "replay/runner_parts.h"

#define SPARE_FDS 128
#define PLACES_LIMIT 65536
#define TICK_MS 250
/* bytes; a closed loop pauses while the recorder's queue holds more */
#define RECORDER_QUEUE_LIMIT ((size_t)48 << 20)
/* from the time when the first request is ready to the start */
#define LEAD_NS (20 * UINT64_C(1000000))

static void dispatch(struct runner *r);
static void on_deadline(uv_timer_t *t);

static bool is_open(const struct runner *r)
{
	return r->s->load != LOAD_CLOSED;
}

/* Finishes when nothing is in flight and nothing more is to be sent. */
static void finish_if_over(struct runner *r)
{
	if (r->stopping && !r->closed) {
		sent_request_drop_retries(r);
	}
	if (r->closed || !list_empty(&r->in_progress)) {
		return;
	}
	if (!r->stopping && (r->n_window > 0 || !feeder_is_done(r->feeder))) {
		return;
	}
	r->closed = true;
	feeder_stop(r->feeder); /* the feeder must not wake an event loop that no longer exists */
	r->feeder = NULL;
	uv_handle_t *const handles[] = {(uv_handle_t *)&r->wake, (uv_handle_t *)&r->pacer,
	        (uv_handle_t *)&r->tick, (uv_handle_t *)&r->dispatch_timer,
	        (uv_handle_t *)&r->deadline, (uv_handle_t *)&r->interrupted,
	        (uv_handle_t *)&r->terminated};
	for (size_t i = 0; i < ARRAY_LEN(handles); i++) {
		uv_close(handles[i], NULL);
	}
	for (size_t i = 0; i < r->s->n_targets; i++) {
		target_connections_close(&r->connections[i]);
	}
}

static void on_dispatch_timer(uv_timer_t *t)
{
	dispatch(t->data);
}

static bool recorder_is_behind(struct runner *r)
{
	struct recorder_figures f;
	recorder_figures(r->s->recorder, &f);
	return f.queued_bytes > RECORDER_QUEUE_LIMIT && !f.failing;
}

/* The intended time of the next job, clock_mono() ns. */
static uint64_t next_time(struct runner *r, const struct job *j)
{
	uint64_t at = 0;
	if (r->s->load == LOAD_RATE) {
		at = r->start + schedule_next(&r->schedule);
	} else if (r->s->load == LOAD_ORIGINAL) {
		r->first_wall = r->first_wall ? r->first_wall : j->wall_ns;
		uint64_t since = j->wall_ns > r->first_wall ? j->wall_ns - r->first_wall : 0;
		at = r->start + (uint64_t)((double)since / r->s->speed);
	}
	r->intended = MAX(r->intended, at);
	return r->intended;
}

static void skip_unfit(struct runner *r, struct job *j)
{
	error_tally_add(&r->result->unfit, j->unfit);
	sends_set_state(r, j->send, SEND_UNFIT);
	job_destroy(j);
}

static void set_deadline(struct runner *r)
{
	uint64_t ns = r->s->duration;
	if (ns) {
		ns += r->start - clock_mono(); /* the start may be slightly in the future */
		uv_timer_start(&r->deadline, on_deadline, ns / 1000000 + 1, 0);
	}
}

/* The previous turn. If that one cannot be sent, the nearest earlier turn that can. */
static uint32_t turn_to_wait_for(const struct runner *r, const struct job *j)
{
	uint32_t before = j->planned.after;
	while (before != PLAN_NONE && r->send_state[before] == SEND_UNFIT) {
		before = r->s->plan->sends[before].after;
	}
	return before;
}

static void fill_window(struct runner *r)
{
	struct job *j;
	while (r->n_window < ARRAY_LEN(r->window) && (j = feeder_take(r->feeder))) {
		if (!r->start) {
			r->start = clock_mono() + (is_open(r) ? LEAD_NS : 0);
			load_figures_begin(r->figures, r->start);
			set_deadline(r);
		}
		if (j->unfit) {
			skip_unfit(r, j);
			continue;
		}
		think_time_recorded(r->s->think, j->send, j->source.answered_ns);
		j->waits_for = turn_to_wait_for(r, j);
		r->latest = j->send;
		j->intended = next_time(r, j);
		j->blocked = r->window_was_full && j->intended < clock_mono();
		r->window_was_full = j->blocked;
		r->window[r->n_window++] = j;
	}
	r->window_was_full = r->window_was_full || r->n_window == ARRAY_LEN(r->window);
}

/* Schedules dispatch() for the time `at`, clock_mono() ns. */
static void dispatch_at(struct runner *r, uint64_t at)
{
	uint64_t now = clock_mono(), ms = at > now ? (at - now) / 1000000 + 1 : 1;
	if (!uv_is_active((uv_handle_t *)&r->dispatch_timer) ||
	        uv_timer_get_due_in(&r->dispatch_timer) > ms) {
		uv_timer_start(&r->dispatch_timer, on_dispatch_timer, ms, 0);
	}
}

/* Whether no request from the i-th of the window on can be sent now. Sets a timer if one can be
 * sent later and no answer has to end before. */
static bool must_wait(struct runner *r, size_t i, uint64_t now)
{
	const struct job *j = r->window[i];
	if (is_open(r) && j->intended >= runner_end(r)) {
		return true;
	}
	if (is_open(r) && j->intended > now) {
		const struct itimerspec when = {.it_value = {(time_t)(j->intended / SECOND_NS),
		                                        (long)(j->intended % SECOND_NS)}};
		timerfd_settime(r->pacer_fd, TFD_TIMER_ABSTIME, &when, NULL);
		return true;
	}
	if (r->figures->in_flight >= r->in_flight_limit ||
	        r->n_awaiting_retry >= r->in_flight_limit) {
		/* all that are due find no free slot */
		for (; i < r->n_window && r->window[i]->intended <= now; i++) {
			r->window[i]->blocked = true;
		}
		return true;
	}
	return false;
}

/* Sends a request that has left the window, unless an earlier answer of its session is unfit. */
static void send_job(struct runner *r, struct job *j)
{
	if (history_must_wait(r, j)) {
		r->send_state[j->send] = SEND_UNSENT;
		job_destroy(j);
	} else if (history_fill(r, j)) {
		r->figures->unthought +=
		        j->waits_for != PLAN_NONE &&
		        !think_time_is_known(r->s->think, j->waits_for, j->wall_ns, j->delay);
		sent_request_start(r, j, j->intended);
	} else {
		r->n_unfit++;
		skip_unfit(r, j);
	}
}

/* Sends the requests in the window that may be sent now. */
static void send_due(struct runner *r)
{
	for (size_t i = 0; i < r->n_window && !r->stopping;) {
		struct job *j = r->window[i];
		uint64_t now = clock_mono();
		if (must_wait(r, i, now)) {
			return;
		}
		uint64_t due = runner_turn_at(r, j);
		if (due > now) {
			if (due != UINT64_MAX) {
				dispatch_at(r, due);
			}
			j->blocked = true;
			i++;
			continue;
		}
		if (!is_open(r) && recorder_is_behind(r)) {
			r->figures->paused++;
			uv_timer_start(&r->dispatch_timer, on_dispatch_timer, 2, 0);
			return;
		}
		j->intended = MAX(is_open(r) ? j->intended : now, due);
		r->n_window--;
		memmove(&r->window[i], &r->window[i + 1], (r->n_window - i) * sizeof(*r->window));
		send_job(r, j);
	}
}

static void dispatch(struct runner *r)
{
	size_t before;
	if (r->closed) {
		return;
	}
	do {
		before = r->n_window;
		if (!r->stopping) {
			uint64_t next = sent_request_send_retries(r);
			if (next) {
				dispatch_at(r, next);
			}
			fill_window(r);
			before = r->n_window;
			send_due(r);
		}
	} while (r->n_window < before);
	finish_if_over(r);
}

static void on_wake(uv_async_t *a)
{
	dispatch(a->data);
}

static void on_pacer(uv_poll_t *p, int status, int events)
{
	struct runner *r = p->data;
	uint64_t times;
	if (read(r->pacer_fd, &times, sizeof(times)) > 0) {
		dispatch(r);
	}
}

static void report_progress(struct runner *r)
{
	offered_load_update(r);
	if (r->s->on_tick) {
		r->s->on_tick(r->s->arg, r->figures, sends_left(r), false);
	}
}

static void on_tick(uv_timer_t *t)
{
	struct runner *r = t->data;
	struct recorder_figures f;
	recorder_figures(r->s->recorder, &f);
	if (f.failing) {
		sends_stop(r, RUNNER_DISK);
	}
	/* first fill the slots that were released just now: the figures must not count them as
	 * free */
	dispatch(r);
	if (r->closed) {
		return;
	}
	report_progress(r);
	finish_if_over(r);
}

static void on_deadline(uv_timer_t *t)
{
	struct runner *r = t->data;
	dispatch(r); /* see on_tick() */
	if (r->closed) {
		return;
	}
	sends_stop(r, RUNNER_TIME);
	report_progress(r);
	finish_if_over(r);
}

static void on_signal(uv_signal_t *s, int number)
{
	struct runner *r = s->data;
	if (r->stopping) {
		sent_request_interrupt_all(r);
	}
	sends_stop(r, RUNNER_STOPPED);
	finish_if_over(r);
}

static void init_handles(struct runner *r)
{
	uv_loop_t *l = &r->loop;
	expect(uv_loop_init(l) == 0);
	expect(uv_async_init(l, &r->wake, on_wake) == 0);
	r->pacer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	expect(r->pacer_fd >= 0 && uv_poll_init(l, &r->pacer, r->pacer_fd) == 0);
	expect(uv_timer_init(l, &r->tick) == 0 && uv_timer_init(l, &r->dispatch_timer) == 0 &&
	        uv_timer_init(l, &r->deadline) == 0);
	expect(uv_signal_init(l, &r->interrupted) == 0 && uv_signal_init(l, &r->terminated) == 0);
	r->wake.data = r->pacer.data = r->tick.data = r->dispatch_timer.data = r->deadline.data = r;
	r->interrupted.data = r->terminated.data = r;
	expect(uv_poll_start(&r->pacer, UV_READABLE, on_pacer) == 0);
	uv_timer_start(&r->tick, on_tick, TICK_MS, TICK_MS);
	uv_signal_start(&r->interrupted, on_signal, SIGINT);
	uv_signal_start(&r->terminated, on_signal, SIGTERM);
}

static void wake(void *arg)
{
	uv_async_send(&((struct runner *)arg)->wake);
}

static void begin(struct runner *r)
{
	const struct runner_settings *s = r->s;
	r->connections = xcalloc(s->n_targets, sizeof(*r->connections));
	for (size_t i = 0; i < s->n_targets; i++) {
		target_connections_open(&r->connections[i], s, i, &r->loop);
	}
	const struct feeder_settings feed = {
	        .source = s->source,
	        .plan = s->plan,
	        .targets = s->targets,
	        .sent = s->sent,
	        .kinds = r->kinds,
	        .answered = s->sessions != NULL,
	        .wake = wake,
	        .arg = r,
	};
	r->feeder = feeder_start(&feed);
}

static void finish(struct runner *r)
{
	offered_load_mark(r);
	for (size_t i = 0; i < r->n_window; i++) {
		job_destroy(r->window[i]);
	}
	sends_finish(r);
	close(r->pacer_fd);
	keyset_finish(&r->written);
	kinds_destroy(r->kinds);
	free(r->connections);
	free(r);
}

void runner_run(
        const struct runner_settings *s, struct load_figures *figures, struct runner_result *ret)
{
	struct runner *r = xcalloc(1, sizeof(*r));
	*ret = (struct runner_result){.end = RUNNER_DONE};
	r->magic = RUNNER_MAGIC;
	r->s = s;
	r->figures = figures;
	r->result = ret;
	r->kinds = kinds_create();
	list_init(&r->in_progress);
	r->in_flight_limit = s->concurrency ? s->concurrency : runner_in_flight_limit();
	sends_init(r);
	if (s->load == LOAD_RATE) {
		schedule_init(&r->schedule, s->rate, s->arrivals, s->burstiness, s->seed);
		if (s->ramp_over) {
			schedule_ramp(&r->schedule, s->ramp_to, (double)s->ramp_over / 1e9);
		}
		r->ahead = r->schedule;
	}
	init_handles(r);
	begin(r);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	expect(uv_loop_close(&r->loop) == 0);
	if (s->on_tick) {
		s->on_tick(s->arg, figures, sends_left(r), true);
	}
	finish(r);
}

unsigned runner_in_flight_limit(void)
{
	unsigned fds = descriptors_raise_limit();
	return fds > 2 * SPARE_FDS ? MIN(fds - SPARE_FDS, PLACES_LIMIT) : 16;
}
