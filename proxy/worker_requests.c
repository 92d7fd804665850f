/*
 * worker_requests - wakes a worker, and sets how often it checks its clients.
 */
#include "proxy/worker.h"

#define POLL_MS 50

void worker_set_tick(struct worker *w, bool polling)
{
	w->polling = polling;
	uv_timer_set_repeat(&w->tick, polling ? POLL_MS : WORKER_TICK_MS);
	expect(uv_timer_again(&w->tick) == 0);
}

void worker_poll_often(struct worker *w)
{
	if (!w->polling && w->state < WORKER_CLOSING) {
		worker_set_tick(w, true);
	}
}

void worker_wake(struct worker *w)
{
	uv_mutex_lock(&w->wake_lock);
	if (w->can_wake) {
		uv_async_send(&w->wake);
	}
	uv_mutex_unlock(&w->wake_lock);
}

void worker_wake_all(struct shared *s)
{
	for (unsigned i = 0; i < s->n_workers; i++) {
		worker_wake(s->workers[i]);
	}
}
