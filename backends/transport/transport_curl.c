#include "backends/transport/transport_curl.h"

#include <pthread.h>
#include <stdlib.h>

#define LOG_MODULE "transport"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define KEPT_CONNECTIONS 1024
#define SWEEP_MIN_MS 10
#define SWEEP_MAX_MS 1000

/* Reports each transfer that ended. The callbacks may start or destroy transfers, and even the
 * transport, so no state is kept across a call. */
static void reap(struct curl_transport *t)
{
	CURLMsg *message;
	int left;
	while (t->multi && (message = curl_multi_info_read(t->multi, &left))) {
		if (message->msg != CURLMSG_DONE) {
			continue;
		}
		void *arg = NULL;
		CURLcode code = message->data.result;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &arg);
		t->events->on_done(CHECKED(struct curl_upstream, arg, UPSTREAM_MAGIC), code);
	}
}

static void on_socket_event(void *arg, int fd, int events)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	int running;
	int flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
	            (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
	curl_multi_socket_action(t->multi, fd, flags, &running);
	reap(t);
}

static void on_timeout(uv_timer_t *timer)
{
	struct curl_transport *t = CHECKED(struct curl_transport, timer->data, TRANSPORT_MAGIC);
	int running;
	curl_multi_socket_action(t->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	reap(t);
}

static int on_curl_timer(CURLM *multi, long timeout_ms, void *arg)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	if (timeout_ms < 0) {
		uv_timer_stop(&t->timer);
	} else {
		uv_timer_start(&t->timer, on_timeout, (uint64_t)timeout_ms, 0);
	}
	return 0;
}

static int on_curl_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	int events = 0;
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) {
		events |= UV_READABLE;
	}
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) {
		events |= UV_WRITABLE;
	}
	if (curl_pool_watch(&t->pool, fd, events) < 0) {
		log_warn("A socket to {address} can't be watched; its requests may take until "
		         "their timeouts.",
		        log_field("address", t->name));
	}
	/* Any other return value would end all transfers because of one. */
	return 0;
}

/* Gives each waiting exchange one turn. An exchange that asks again meanwhile waits for the next
 * round. */
static void on_turn(uv_idle_t *idle)
{
	struct curl_transport *t = CHECKED(struct curl_transport, idle->data, TRANSPORT_MAGIC);
	struct list round;
	list_take_all(&round, &t->waiting);
	while (!list_empty(&round)) {
		struct curl_upstream *u = LIST_ITEM(struct curl_upstream, waiting_link, round.next);
		list_remove(&u->waiting_link);
		t->events->on_turn(u);
	}
	reap(t);
	if (t->multi && list_empty(&t->waiting)) {
		uv_idle_stop(&t->turn);
	}
}

void transport_wait_for_turn(struct curl_upstream *u)
{
	struct curl_transport *t = u->transport;
	if (!u->waiting_link.next) {
		list_append(&t->waiting, &u->waiting_link);
		uv_idle_start(&t->turn, on_turn);
	}
}

/* Nearly every exchange ends before the turn that it asked for. An idle handle that is still
 * running would cost the loop an iteration. */
void transport_forget_turn(struct curl_upstream *u)
{
	struct curl_transport *t = u->transport;
	list_remove(&u->waiting_link);
	if (list_empty(&t->waiting)) {
		uv_idle_stop(&t->turn);
	}
}

static void on_sweep(uv_timer_t *timer)
{
	struct curl_transport *t = CHECKED(struct curl_transport, timer->data, TRANSPORT_MAGIC);
	uint64_t now = clock_mono();
	/* This only marks a timeout, and a turn handles it, so that no callback changes the list
	 * during this loop. */
	LIST_EACH(struct curl_upstream, u, active_link, &t->active)
	{
		t->events->on_sweep(u, now);
	}
	if (list_empty(&t->active)) {
		uv_timer_stop(&t->sweep);
	}
}

void transport_activate(struct curl_upstream *u)
{
	struct curl_transport *t = u->transport;
	list_append(&t->active, &u->active_link);
	if (t->idle_timeout && !uv_is_active((uv_handle_t *)&t->sweep)) {
		uint64_t every = t->idle_timeout / 8 / 1000000;
		every = MAX(SWEEP_MIN_MS, MIN(every, SWEEP_MAX_MS));
		uv_timer_start(&t->sweep, on_sweep, every, every);
	}
}

static void set_url(struct curl_transport *t, const char *url)
{
	CURLU *parts = curl_url();
	char *host = NULL, *port = NULL, *bare = NULL;
	if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
	        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	        curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	        curl_url_set(parts, CURLUPART_PATH, "/", 0) == CURLUE_OK &&
	        curl_url_set(parts, CURLUPART_QUERY, NULL, 0) == CURLUE_OK &&
	        curl_url_set(parts, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK &&
	        curl_url_get(parts, CURLUPART_URL, &bare, 0) == CURLUE_OK) {
		t->url = xstrdup(bare);
		t->name = xasprintf("%s:%s", host, port);
	} else {
		/* libcurl then refuses each exchange, and says why. */
		t->url = xstrdup(url);
		t->name = xstrdup("the backend");
	}
	curl_free(host);
	curl_free(port);
	curl_free(bare);
	curl_url_cleanup(parts);
}

static void maybe_free(struct curl_transport *t)
{
	if (t->open_handles == 0) {
		free(t->url);
		free(t->name);
		free(t->ca_file);
		t->magic = 0;
		free(t);
	}
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct curl_transport *t = CHECKED(struct curl_transport, handle->data, TRANSPORT_MAGIC);
	t->open_handles--;
	maybe_free(t);
}

static void on_pool_idle(void *arg)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	t->open_handles--;
	maybe_free(t);
}

static void init_curl(void)
{
	expect(curl_global_init_mem(CURL_GLOBAL_ALL, xmalloc, free, xrealloc, xstrdup, xcalloc) ==
	        CURLE_OK);
}

struct transport *transport_curl_create(uv_loop_t *loop, const struct upstream_target *target,
        const struct curl_transport_events *events)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, init_curl);
	struct curl_transport *t = xmalloc(sizeof(*t));
	*t = (struct curl_transport){
	        .events = events,
	        .magic = TRANSPORT_MAGIC,
	        .loop = loop,
	        .multi = curl_multi_init(),
	        .open_handles = 4, /* two timers, the turn, the pool */
	        .ca_file = target->ca_file ? xstrdup(target->ca_file) : NULL,
	        .connect_timeout = target->connect_timeout,
	        .idle_timeout = target->idle_timeout,
	        .max_idle_age = target->max_idle_age,
	};
	expect(t->multi);
	list_init(&t->active);
	list_init(&t->waiting);
	set_url(t, target->url);
	curl_pool_init(&t->pool, loop, on_socket_event, on_pool_idle, t);
	uv_timer_init(loop, &t->timer);
	uv_timer_init(loop, &t->sweep);
	uv_idle_init(loop, &t->turn);
	t->timer.data = t->sweep.data = t->turn.data = t;
	curl_multi_setopt(t->multi, CURLMOPT_SOCKETFUNCTION, on_curl_socket);
	curl_multi_setopt(t->multi, CURLMOPT_SOCKETDATA, t);
	curl_multi_setopt(t->multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
	curl_multi_setopt(t->multi, CURLMOPT_TIMERDATA, t);
	curl_multi_setopt(t->multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS);
	curl_multi_setopt(t->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
	return &t->base;
}

void transport_curl_destroy(struct transport *transport)
{
	struct curl_transport *t = CHECKED(struct curl_transport, transport, TRANSPORT_MAGIC);
	expect(list_empty(&t->active));
	curl_multi_cleanup(t->multi);
	t->multi = NULL;
	uv_close((uv_handle_t *)&t->timer, on_handle_closed);
	uv_close((uv_handle_t *)&t->sweep, on_handle_closed);
	uv_close((uv_handle_t *)&t->turn, on_handle_closed);
	curl_pool_close(&t->pool);
}
