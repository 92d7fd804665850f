#include "proxy/worker.h"

#include <stdlib.h>

#define LOG_MODULE "worker"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread_sched.h"
#include "proxy/client.h"
#include "proxy/client_timeouts.h"
#include "proxy/exchange.h"
#include "proxy/mirror.h"
#include "proxy/score_pool.h"

#define POLL_MS 50
#define LAST_BYTES_LIMIT (500 * UINT64_C(1000000))

static void set_state(struct worker *w, enum worker_state state)
{
	expect(state > w->state);
	w->state = state;
}

static void on_closed(uv_handle_t *handle)
{
	struct worker *w = CHECKED(struct worker, handle->data, WORKER_MAGIC);
	w->open_handles--;
}

static void close_handle(struct worker *w, uv_handle_t *handle)
{
	if (!uv_is_closing(handle)) {
		uv_close(handle, on_closed);
	}
}

/* Stopping. */

static bool is_idle(const struct worker *w)
{
	LIST_EACH(struct mirror, m, link, &w->mirrors)
	{
		if (!mirror_is_idle(m)) {
			return false;
		}
	}
	return list_empty(&w->clients) && list_empty(&w->exchanges) &&
	       score_pool_is_idle(w->shared->scoring);
}

static void close_all(struct worker *w)
{
	set_state(w, WORKER_CLOSING);
	uv_mutex_lock(&w->wake_lock);
	w->can_wake = false;
	uv_mutex_unlock(&w->wake_lock);
	worker_config_unref(w->config);
	worker_config_sweep(w);
	expect(list_empty(&w->configs));
	acceptor_close(&w->acceptor, on_closed);
	close_handle(w, (uv_handle_t *)&w->wake);
	close_handle(w, (uv_handle_t *)&w->tick);
	close_handle(w, (uv_handle_t *)&w->after_poll);
	close_handle(w, (uv_handle_t *)&w->before_poll);
}

static void drain(struct worker *w)
{
	set_state(w, WORKER_DRAINING);
	acceptor_close(&w->acceptor, on_closed);
	LIST_EACH(struct client, c, link, &w->clients)
	{
		if (c->state == CLIENT_READY && client_queued(c)) {
			client_answered(c, false);
		} else {
			client_timeouts_check(c, clock_mono());
		}
	}
	worker_poll_often(w);
}

static void abort_all(struct worker *w)
{
	set_state(w, WORKER_ABORTING);
	w->aborted_at = clock_mono();
	acceptor_close(&w->acceptor, on_closed);
	LIST_EACH(struct exchange, e, link, &w->exchanges)
	{
		exchange_stop(e);
	}
	LIST_EACH(struct mirror, m, link, &w->mirrors)
	{
		mirror_stop(m);
	}
	worker_poll_often(w);
}

/* After the deadline nothing may delay the exit: disconnects clients that do not take their last
 * bytes. */
static void close_stalled_clients(struct worker *w, uint64_t now)
{
	LIST_EACH(struct client, c, link, &w->clients)
	{
		if (!c->exchange && (!client_queued(c) || now - w->aborted_at > LAST_BYTES_LIMIT)) {
			client_disconnect(c, "the proxy is stopping");
		}
	}
}

/* The event loop. */

/* The worker ticks every 50 ms, or every second. */
static void set_tick(struct worker *w, bool polling)
{
	w->polling = polling;
	uv_timer_set_repeat(&w->tick, polling ? POLL_MS : WORKER_TICK_MS);
	expect(uv_timer_again(&w->tick) == 0);
}

static void on_tick(uv_timer_t *timer)
{
	struct worker *w = CHECKED(struct worker, timer->data, WORKER_MAGIC);
	uint64_t now = clock_mono();
	bool polling = w->state != WORKER_RUNNING;

	unsigned idle = 0;
	LIST_EACH(struct client, c, link, &w->clients)
	{
		polling |= client_needs_polling(c);
		idle += client_timeouts_is_idle(c, now);
		client_timeouts_check(c, now);
	}
	atomic_fetch_add_explicit(&w->shared->idle_clients, idle - w->idle, memory_order_relaxed);
	w->idle = idle;
	acceptor_resume(&w->acceptor);
	LIST_EACH(struct mirror, m, link, &w->mirrors)
	{
		mirror_check_timeouts(m, now);
	}
	worker_config_sweep(w);
	if (w->state == WORKER_ABORTING) {
		close_stalled_clients(w, now);
	}
	if (w->state >= WORKER_DRAINING && w->state < WORKER_CLOSING && is_idle(w)) {
		close_all(w);
	} else if (polling != w->polling && w->state < WORKER_CLOSING) {
		set_tick(w, polling);
	}
}

/* No exchange's code is on the stack now. Exchanges in progress continue with the configuration
 * that they began with. */
static void change_config(struct worker *w)
{
	uv_mutex_lock(&w->wake_lock);
	struct config_snapshot *snapshot = w->next_config;
	w->next_config = NULL;
	uv_mutex_unlock(&w->wake_lock);
	if (snapshot) {
		struct worker_config *before = w->config;
		w->config = worker_config_create(w, snapshot, before);
		worker_config_unref(before);
		worker_config_sweep(w);
		config_snapshot_unref(snapshot);
	}
}

static void on_wake(uv_async_t *async)
{
	struct worker *w = CHECKED(struct worker, async->data, WORKER_MAGIC);
	enum worker_state wanted = (enum worker_state)atomic_load(&w->wanted);
	if (wanted == WORKER_DRAINING && w->state < WORKER_DRAINING) {
		drain(w);
	} else if (wanted == WORKER_ABORTING && w->state < WORKER_ABORTING) {
		abort_all(w);
	}
	if (w->state == WORKER_CLOSING) {
		return;
	}
	change_config(w);
	LIST_EACH(struct mirror, m, link, &w->mirrors)
	{
		mirror_schedule(m);
	}
}

static void uncork_all(struct worker *w)
{
	LIST_EACH(struct client, c, cork, &w->corked)
	{
		client_uncork(c);
	}
}

static void on_after_poll(uv_check_t *check)
{
	uncork_all(CHECKED(struct worker, check->data, WORKER_MAGIC));
}

static void on_before_poll(uv_prepare_t *prepare)
{
	uncork_all(CHECKED(struct worker, prepare->data, WORKER_MAGIC));
}

static void run(void *arg)
{
	struct worker *w = CHECKED(struct worker, arg, WORKER_MAGIC);
	thread_sched_short_slice();
	uv_run(&w->loop, UV_RUN_DEFAULT);
	w->on_end(w->on_end_arg);
}

/* Creating and destroying. */

static void init_handles(struct worker *w)
{
	expect(uv_async_init(&w->loop, &w->wake, on_wake) == 0);
	expect(uv_timer_init(&w->loop, &w->tick) == 0);
	expect(uv_check_init(&w->loop, &w->after_poll) == 0);
	expect(uv_prepare_init(&w->loop, &w->before_poll) == 0);
	w->open_handles = 5;
	w->wake.data = w;
	w->tick.data = w;
	w->after_poll.data = w;
	w->before_poll.data = w;
}

int worker_create(struct shared *s, unsigned index, int fd, void (*on_end)(void *arg), void *arg,
        struct worker **ret)
{
	struct worker *w = xcalloc(1, sizeof(*w));
	w->magic = WORKER_MAGIC;
	w->shared = s;
	w->index = index;
	w->on_end = on_end;
	w->on_end_arg = arg;
	list_init(&w->configs);
	list_init(&w->mirrors);
	list_init(&w->clients);
	list_init(&w->corked);
	list_init(&w->exchanges);
	expect(uv_mutex_init(&w->wake_lock) == 0);
	expect(uv_loop_init(&w->loop) == 0);
	w->can_wake = true;
	init_handles(w);
	struct config_snapshot *snapshot = shared_config(s);
	w->config = worker_config_create(w, snapshot, NULL);
	config_snapshot_unref(snapshot);
	int r = acceptor_open(&w->acceptor, w, fd, client_accept);
	if (r < 0) {
		worker_destroy(w);
		return r;
	}
	*ret = w;
	return 0;
}

int worker_start(struct worker *w)
{
	uv_timer_start(&w->tick, on_tick, WORKER_TICK_MS, WORKER_TICK_MS);
	uv_check_start(&w->after_poll, on_after_poll);
	uv_prepare_start(&w->before_poll, on_before_poll);
	return uv_thread_create(&w->thread, run, w);
}

static void wake_up(struct worker *w)
{
	uv_mutex_lock(&w->wake_lock);
	if (w->can_wake) {
		uv_async_send(&w->wake);
	}
	uv_mutex_unlock(&w->wake_lock);
}

void worker_command(struct worker *w, enum worker_state wanted)
{
	atomic_store(&w->wanted, (int)wanted);
	wake_up(w);
}

void worker_set_config(struct worker *w, struct config_snapshot *snapshot)
{
	uv_mutex_lock(&w->wake_lock);
	struct config_snapshot *unused = w->next_config;
	w->next_config = config_snapshot_ref(snapshot);
	uv_mutex_unlock(&w->wake_lock);
	config_snapshot_unref(unused);
	wake_up(w);
}

void worker_join(struct worker *w)
{
	uv_thread_join(&w->thread);
}

void worker_destroy(struct worker *w)
{
	if (!w) {
		return;
	}
	if (w->state < WORKER_CLOSING) {
		/* The worker never started, so nothing is in progress. */
		close_all(w);
		uv_run(&w->loop, UV_RUN_DEFAULT);
	}
	expect(w->open_handles == 0);
	expect(uv_loop_close(&w->loop) == 0);
	config_snapshot_unref(w->next_config);
	uv_mutex_destroy(&w->wake_lock);
	buf_finish(&w->gathered);
	w->magic = 0;
	free(w);
}

void worker_poll_often(struct worker *w)
{
	if (!w->polling && w->state < WORKER_CLOSING) {
		set_tick(w, true);
	}
}

void worker_wake_all(struct shared *s)
{
	for (unsigned i = 0; i < s->n_workers; i++) {
		wake_up(s->workers[i]);
	}
}
