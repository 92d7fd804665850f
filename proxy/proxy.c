#include "proxy/proxy.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#define LOG_MODULE "proxy"
#include "base/descriptors.h"
#include "base/exit_code.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/admin.h"
#include "proxy/config_snapshot.h"
#include "proxy/listener.h"
#include "proxy/reload.h"
#include "proxy/score_pool.h"
#include "proxy/shared.h"
#include "proxy/memory_trim.h"
#include "proxy/engine_watch.h"
#include "proxy/worker.h"

#define FLUSH_TIMEOUT (10 * UINT64_C(1000000000))
#define FLUSH_AT_ONCE UINT64_C(1000000000)

/* The main thread's loop: signals, admin, the drain's clock, and memory_trim. */
struct run {
	struct settings *settings; /* the settings at start; the snapshot has the present ones */
	const struct settings_source *source;
	struct shared *shared;
	uv_loop_t loop;
	uv_signal_t term, interrupt, hangup;
	uv_timer_t drain_timer;
	struct memory_trim memory_trim;
	uv_async_t ended; /* a worker is done */
	atomic_uint workers_alive;
	struct admin *admin;
	int *fds; /* one bound socket a worker; -1: handed over */
	int admin_fd;
	uint16_t port, admin_port;
	bool inherited; /* the clients' socket */
	bool has_admin;
	enum admin_port admin_shared;
	bool stopping, aborted;
};

static bool bind_clients(struct run *run)
{
	struct settings *s = run->settings;
	int r = listener_inherit(false, run->fds, s->workers, &run->port);
	run->inherited = r == 0;
	if (r == -ENOENT) {
		r = listener_bind(&s->listen, s->share_port, run->fds, s->workers, &run->port);
	}
	if (r < 0) {
		const char *address = r == -ENOTSOCK ? "the inherited socket" : s->listen.text;
		log_error("Can't listen on {address}: {error}.", log_field("address", address),
		        log_field("error", strerror(-r)));
		return false;
	}
	return true;
}

/* True also if no admin port is configured. */
static bool bind_admin(struct run *run)
{
	struct settings *s = run->settings;
	int r = listener_inherit(true, &run->admin_fd, 1, &run->admin_port);
	run->has_admin = r == 0 || s->admin.host;
	run->admin_shared = r == 0 ? ADMIN_INHERITED : ADMIN_ALONE;
	if (r == -ENOENT && s->admin.host) {
		/* If the clients' port is shared or inherited, a second proxy process may be
		 * running. */
		bool share = s->share_port || run->inherited;
		run->admin_shared = share ? ADMIN_SHARED : ADMIN_ALONE;
		r = listener_bind(&s->admin, share, &run->admin_fd, 1, &run->admin_port);
	}
	if (r < 0 && (r != -ENOENT || run->has_admin)) {
		log_error("Can't listen on {address} for the admin port: {error}.",
		        log_field("address", s->admin.text), log_field("error", strerror(-r)));
		return false;
	}
	return true;
}

static void command_all(struct run *run, enum worker_state wanted)
{
	for (unsigned i = 0; i < run->shared->n_workers; i++) {
		if (run->shared->workers[i]) {
			worker_command(run->shared->workers[i], wanted);
		}
	}
}

static void abort_all(struct run *run)
{
	if (!run->aborted) {
		run->aborted = true;
		uv_timer_stop(&run->drain_timer);
		command_all(run, WORKER_ABORTING);
		score_pool_stop(run->shared->scoring);
	}
}

static void on_drain_timeout(uv_timer_t *timer)
{
	struct run *run = timer->data;
	log_warn("Requests took longer than drain_timeout; the proxy cuts {exchanges} of them off.",
	        log_field("exchanges", atomic_load(&run->shared->in_flight)));
	abort_all(run);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct run *run = handle->data;
	if (run->stopping) {
		log_warn("Second signal: the proxy stops at once.");
		abort_all(run);
		return;
	}
	run->stopping = true;
	log_info("Draining: the proxy accepts no new connections and finishes {exchanges} "
	         "requests.",
	        log_field("exchanges", atomic_load(&run->shared->in_flight)));
	admin_drain(run->admin);
	engine_watch_stop(run->shared->watch);
	struct config_snapshot *now = shared_config(run->shared);
	uv_timer_start(
	        &run->drain_timer, on_drain_timeout, now->settings->drain_timeout / 1000000, 0);
	config_snapshot_unref(now);
	command_all(run, WORKER_DRAINING);
}

static void on_hangup(uv_signal_t *handle, int number)
{
	struct run *run = handle->data;
	if (!run->source->file) {
		on_signal(handle, number);
	} else if (!run->stopping) {
		reload_run(run->shared->reload, run->shared);
	}
}

static void on_worker_end(void *arg)
{
	struct run *run = arg;
	atomic_fetch_sub(&run->workers_alive, 1);
	uv_async_send(&run->ended);
}

static void close_handles(struct run *run)
{
	uv_close((uv_handle_t *)&run->term, NULL);
	uv_close((uv_handle_t *)&run->interrupt, NULL);
	uv_close((uv_handle_t *)&run->hangup, NULL);
	uv_close((uv_handle_t *)&run->drain_timer, NULL);
	uv_close((uv_handle_t *)&run->ended, NULL);
	memory_trim_close(&run->memory_trim);
	admin_close(run->admin);
	run->admin = NULL;
}

static void on_ended(uv_async_t *async)
{
	struct run *run = async->data;
	if (atomic_load(&run->workers_alive) == 0 && !uv_is_closing((uv_handle_t *)async)) {
		close_handles(run);
	}
}

static void init_loop(struct run *run)
{
	expect(uv_loop_init(&run->loop) == 0);
	expect(uv_signal_init(&run->loop, &run->term) == 0);
	expect(uv_signal_init(&run->loop, &run->interrupt) == 0);
	expect(uv_signal_init(&run->loop, &run->hangup) == 0);
	expect(uv_timer_init(&run->loop, &run->drain_timer) == 0);
	expect(uv_async_init(&run->loop, &run->ended, on_ended) == 0);
	memory_trim_watch(&run->memory_trim, &run->loop, &run->shared->budget);
	run->term.data = run;
	run->interrupt.data = run;
	run->hangup.data = run;
	run->drain_timer.data = run;
	run->ended.data = run;
}

static int create_all(struct run *run)
{
	struct settings *s = run->settings;
	run->shared->workers = xcalloc(s->workers, sizeof(struct worker *));
	if (run->has_admin) {
		int fd = run->admin_fd;
		run->admin_fd = -1;
		int r = admin_create(&run->loop, run->shared, fd, run->admin_shared, &run->admin);
		if (r < 0) {
			return r;
		}
	}
	for (unsigned i = 0; i < s->workers; i++) {
		int fd = run->fds[i];
		run->fds[i] = -1;
		int r = worker_create(
		        run->shared, i, fd, on_worker_end, run, &run->shared->workers[i]);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static void announce(const struct run *run)
{
	const struct settings *s = run->settings;
	const char *host = run->inherited                        ? "inherited"
	                   : s->listen.host && s->listen.host[0] ? s->listen.host
	                                                         : "*";
	log_info("Listening on {host}:{port}; the primary is {backend} at {url}.",
	        log_field("host", host), log_field("port", run->port),
	        log_field("backend", s->primary.name), log_field("url", s->primary.url),
	        log_field("references", s->n_references), log_field("workers", s->workers),
	        log_field("capture", s->capture_path));
	if (run->admin) {
		log_info("The admin port listens on {host}:{port}.",
		        log_field("host", s->admin.host ? s->admin.host : "inherited"),
		        log_field("port", run->admin_port));
	}
}

/* Runs until all workers have ended. */
static int serve(struct run *run)
{
	/* Install the handlers before the ports accept connections: a supervisor may send a signal
	 * as soon as it sees the ports. The handlers run when the loop runs. */
	uv_signal_start(&run->term, on_signal, SIGTERM);
	uv_signal_start(&run->interrupt, on_signal, SIGINT);
	uv_signal_start(&run->hangup, on_hangup, SIGHUP);
	int r = create_all(run);
	if (r < 0) {
		log_error("Can't listen on {address}: {error}.",
		        log_field("address", run->settings->listen.text),
		        log_field("error", uv_strerror(r)));
		close_handles(run);
		uv_run(&run->loop, UV_RUN_DEFAULT);
		return EXIT_USAGE;
	}
	for (unsigned i = 0; i < run->settings->workers; i++) {
		r = worker_start(run->shared->workers[i]);
		if (r < 0) {
			log_error("A worker's thread could not be started: {error}.",
			        log_field("error", uv_strerror(r)));
			never("a thread could not be started");
		}
		atomic_fetch_add(&run->workers_alive, 1);
	}
	admin_set_ready(run->admin);
	announce(run);
	struct config_snapshot *snapshot = shared_config(run->shared);
	engine_watch_follow(run->shared->watch, snapshot);
	config_snapshot_unref(snapshot);
	uv_run(&run->loop, UV_RUN_DEFAULT);
	for (unsigned i = 0; i < run->settings->workers; i++) {
		worker_join(run->shared->workers[i]);
	}
	engine_watch_stop(run->shared->watch);
	engine_watch_join(run->shared->watch);
	return EXIT_PASS;
}

static void finish(struct run *run)
{
	for (unsigned i = 0; i < run->settings->workers; i++) {
		if (run->fds[i] >= 0) {
			close(run->fds[i]);
		}
		if (run->shared && run->shared->workers) {
			worker_destroy(run->shared->workers[i]);
		}
	}
	if (run->admin_fd >= 0) {
		close(run->admin_fd);
	}
	if (run->shared) {
		free(run->shared->workers);
		reload_destroy(run->shared->reload);
		shared_destroy(run->shared, run->aborted ? FLUSH_AT_ONCE : FLUSH_TIMEOUT);
	}
	free(run->fds);
}

int proxy_run(struct settings *s, const struct settings_source *source)
{
	struct run run = {.settings = s, .source = source, .admin_fd = -1};
	run.fds = xmalloc(s->workers * sizeof(*run.fds));
	for (unsigned i = 0; i < s->workers; i++) {
		run.fds[i] = -1;
	}
	signal(SIGPIPE, SIG_IGN);
	mem_return_large_blocks();
	/* with malloc(), libuv would abort without a message if its list of descriptors can't
	 * grow */
	expect(uv_replace_allocator(xmalloc, xrealloc, xcalloc, free) == 0);
	char *error = descriptors_require(DESCRIPTORS_TO_BEGIN(s->workers));
	if (error) {
		log_error("The proxy can't start: {error}.", log_field("error", error));
		free(error);
		finish(&run);
		return EXIT_RUNTIME;
	}
	if (!bind_clients(&run) || !bind_admin(&run)) {
		finish(&run);
		return EXIT_USAGE;
	}
	run.shared = shared_create(s, &error);
	if (!run.shared) {
		log_error("The proxy can't start: {error}.", log_field("error", error));
		free(error);
		finish(&run);
		return EXIT_USAGE;
	}
	run.shared->reload = reload_create(source);
	init_loop(&run);
	int code = serve(&run);
	expect(uv_loop_close(&run.loop) == 0);
	finish(&run);
	if (code == EXIT_PASS) {
		log_info("Stopped.");
	}
	return code;
}
