#include "backends/engine/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "backends/engine/engine_client.h"
#include "backends/engine/canned.h"
#include "backends/engine/endpoints.h"
#include "backends/engine/language.h"
#include "backends/engine/prefix_cache.h"
#include "backends/engine/recorded_answers.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/rng.h"

#define LOG_MODULE "engine"
#include "base/log.h"

#define WORKER_MAGIC 0x776f726bu
#define BACKLOG 1024

struct engine {
	const struct engine_options *options;
	struct language *language;
	struct canned *canned;
	struct worker *workers;
	uv_thread_t *threads;
	uint16_t port; /* the actual port */
	uv_signal_t term, interrupt;
};

void engine_options_init(struct engine_options *o)
{
	*o = (struct engine_options){
	        .host = "127.0.0.1",
	        .port = 8101,
	        .model = "simulated",
	        .workers = 1,
	        .max_batch = 256,
	        .default_max_tokens = 256,
	        .logprobs_unasked = ENGINE_UNASKED_NULL,
	        .speed = 1,
	};
}

static void on_connection(uv_stream_t *stream, int status)
{
	struct worker *w = CHECKED(struct worker, stream->data, WORKER_MAGIC);
	if (status == 0) {
		engine_client_accept(w);
	} else {
		log_warn("A connection could not be accepted: {error}.",
		        log_field("error", uv_strerror(status)));
	}
}

static void on_stop(uv_async_t *async)
{
	struct worker *w = CHECKED(struct worker, async->data, WORKER_MAGIC);
	uv_close((uv_handle_t *)&w->listener, NULL);
	uv_close((uv_handle_t *)&w->stop, NULL);
	LIST_EACH(struct engine_client, c, link, &w->clients)
	{
		engine_client_close(c);
	}
}

/* Opens the socket itself, because libuv 1.44 has no flag for SO_REUSEPORT. */
static int open_socket(const struct sockaddr *address)
{
	int on = 1;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		return -errno;
	}
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0) {
		int r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

static int worker_listen(struct engine *e, struct worker *w)
{
	struct sockaddr_storage address;
	int size = sizeof(address);
	const char *host = e->options->host;
	host = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
	int r = uv_ip4_addr(host, e->port, (struct sockaddr_in *)&address);
	if (r < 0) {
		r = uv_ip6_addr(host, e->port, (struct sockaddr_in6 *)&address);
	}
	if (r < 0) {
		return r;
	}
	if (e->options->workers > 1) {
		int fd = open_socket((struct sockaddr *)&address);
		r = fd < 0 ? fd : uv_tcp_open(&w->listener, fd);
		if (r < 0) {
			return r;
		}
	}
	r = uv_tcp_bind(&w->listener, (struct sockaddr *)&address, 0);
	if (r == 0) {
		r = uv_listen((uv_stream_t *)&w->listener, BACKLOG, on_connection);
	}
	if (r == 0) {
		r = uv_tcp_getsockname(&w->listener, (struct sockaddr *)&address, &size);
	}
	if (r == 0) {
		e->port = ntohs(address.ss_family == AF_INET6
		                        ? ((struct sockaddr_in6 *)&address)->sin6_port
		                        : ((struct sockaddr_in *)&address)->sin_port);
	}
	return r;
}

/* Returns NULL, or why the worker cannot begin; worker_end() follows in either case. */
static char *worker_begin(struct engine *e, struct worker *w, uint32_t index)
{
	const struct engine_options *o = e->options;
	struct id random_id = id_make();
	uint64_t seed = o->random_seed;
	if (seed == 0) {
		memcpy(&seed, random_id.bytes + 8, sizeof(seed));
	}
	*w = (struct worker){
	        .magic = WORKER_MAGIC,
	        .options = o,
	        .serve = endpoints_serve,
	        .language = e->language,
	        .canned = e->canned,
	        .random = rng_of(seed, index),
	        .prefixes = o->prefix_cache ? prefix_cache_create() : NULL,
	        .recorded = o->tape ? recorded_answers_reader(o->tape) : NULL,
	};
	list_init(&w->waiting);
	list_init(&w->clients);
	batch_effects_init(&w->batch);
	/* descriptors_require() has reserved enough descriptors */
	expect(uv_loop_init(&w->loop) == 0);
	uv_async_init(&w->loop, &w->stop, on_stop);
	uv_tcp_init(&w->loop, &w->listener);
	w->stop.data = w->listener.data = w;
	if (o->tape && !w->recorded) {
		return xasprintf("worker %u cannot open the capture for itself", index + 1);
	}
	int r = worker_listen(e, w);
	return r < 0 ? xasprintf("cannot listen on %s:%u: %s", o->host, o->port, uv_strerror(r))
	             : NULL;
}

static void run_worker(void *arg)
{
	struct worker *w = CHECKED(struct worker, arg, WORKER_MAGIC);
	uv_run(&w->loop, UV_RUN_DEFAULT);
}

static void on_signal(uv_signal_t *signal, int number)
{
	struct engine *e = signal->data;
	uv_close((uv_handle_t *)&e->term, NULL);
	uv_close((uv_handle_t *)&e->interrupt, NULL);
	for (uint32_t i = 0; i < e->options->workers; i++) {
		uv_async_send(&e->workers[i].stop);
	}
}

static void watch_signals(struct engine *e)
{
	uv_loop_t *loop = &e->workers[0].loop;
	uv_signal_init(loop, &e->term);
	uv_signal_init(loop, &e->interrupt);
	e->term.data = e->interrupt.data = e;
	uv_signal_start(&e->term, on_signal, SIGTERM);
	uv_signal_start(&e->interrupt, on_signal, SIGINT);
}

static void serve(struct engine *e)
{
	watch_signals(e);
	printf(strchr(e->options->host, ':') ? "listening on [%s]:%u\n" : "listening on %s:%u\n",
	        e->options->host, e->port);
	fflush(stdout);
	for (uint32_t i = 1; i < e->options->workers; i++) {
		expect(uv_thread_create(&e->threads[i], run_worker, &e->workers[i]) == 0);
	}
	run_worker(&e->workers[0]);
	for (uint32_t i = 1; i < e->options->workers; i++) {
		uv_thread_join(&e->threads[i]);
	}
}

static void worker_end(struct worker *w)
{
	uv_run(&w->loop, UV_RUN_DEFAULT);
	expect(uv_loop_close(&w->loop) == 0);
	prefix_cache_destroy(w->prefixes);
	if (w->recorded) {
		capture_close(w->recorded);
	}
	w->magic = 0;
}

char *engine_run(const struct engine_options *options)
{
	struct engine e = {.options = options, .port = options->port};
	char *problem = descriptors_require(DESCRIPTORS_TO_BEGIN(options->workers));
	if (problem) {
		return problem;
	}
	signal(SIGPIPE, SIG_IGN);
	e.language = language_create(options->seed);
	e.canned = options->canned ? canned_create(options, e.language) : NULL;
	e.workers = xcalloc(options->workers, sizeof(*e.workers));
	e.threads = xcalloc(options->workers, sizeof(*e.threads));
	uint32_t begun = 0;
	while (!problem && begun < options->workers) {
		problem = worker_begin(&e, &e.workers[begun], begun);
		begun++;
	}
	if (!problem) {
		serve(&e);
	}
	for (uint32_t i = 0; i < begun; i++) {
		if (problem) {
			on_stop(&e.workers[i].stop);
		}
		worker_end(&e.workers[i]);
	}
	free(e.workers);
	free(e.threads);
	canned_destroy(e.canned);
	language_destroy(e.language);
	return problem;
}
