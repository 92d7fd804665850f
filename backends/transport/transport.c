#include "backends/transport/wire.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/authority.h"
#include "base/clock.h"
#include "base/mem.h"

#define KEPT_AGE (60 * UINT64_C(1000000000)) /* if the target sets none */
#define SWEEP_MIN_MS 10
#define SWEEP_MAX_MS 1000
#define HOST_LIMIT 255

/* Turns */

/* Gives each waiting exchange one turn. An exchange that asks again meanwhile waits for the next
 * round. */
static void on_turn(uv_idle_t *idle)
{
	struct transport *w = CHECKED(struct transport, idle->data, WIRE_MAGIC);
	struct list round;
	list_take_all(&round, &w->turns);
	while (!list_empty(&round)) {
		struct upstream *x = LIST_ITEM(struct upstream, turn, round.next);
		list_remove(&x->turn);
		wire_exchange_turn(x);
	}
	if (!w->closing && list_empty(&w->turns)) {
		uv_idle_stop(&w->turn);
	}
}

/* The sweep */

static void on_sweep(uv_timer_t *timer)
{
	struct transport *w = CHECKED(struct transport, timer->data, WIRE_MAGIC);
	uint64_t now = clock_mono();
	/* This only marks a timeout, and a turn handles it, so that no callback changes the list
	 * during this loop. */
	LIST_EACH(struct upstream, x, active, &w->active)
	{
		wire_exchange_check_silence(x, now);
	}
	wire_pool_drop_old(w, now);
	if (list_empty(&w->active) && list_empty(&w->kept)) {
		uv_timer_stop(&w->sweep);
	}
}

static uint64_t sweep_period(const struct transport *w)
{
	uint64_t shortest = w->max_idle_age;
	if (w->idle_timeout) {
		shortest = MIN(shortest, w->idle_timeout);
	}
	if (w->connect_timeout) {
		shortest = MIN(shortest, w->connect_timeout);
	}
	return MAX(SWEEP_MIN_MS, MIN(shortest / 8 / 1000000, SWEEP_MAX_MS));
}

/* The backend */

struct authority {
	const char *scheme; /* "http" or "https" */
	struct span host;   /* without brackets; empty: the URL has none that is valid */
	bool bracketed, default_port;
	uint16_t port;
};

static bool is_plain_host(struct span host)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.data[i];
		if (!is_alnum(c) && !strchr(".-_:", c)) {
			return false;
		}
	}
	return host.len > 0 && host.len <= HOST_LIMIT;
}

static struct authority parse_url(const char *url)
{
	bool tls = strncasecmp(url, "https://", 8) == 0;
	size_t scheme = tls ? 8 : strncasecmp(url, "http://", 7) == 0 ? 7 : 0;
	uint16_t usual = tls ? 443 : 80;
	struct authority a = {.scheme = tls ? "https" : "http", .port = usual};
	struct span port, whole = {url + scheme, strcspn(url + scheme, "/?#")};
	if (!scheme || !authority_split(whole, &a.host, &port, &a.bracketed) ||
	        (port.data && !(authority_port(port, &a.port) && a.port > 0)) ||
	        !is_plain_host(a.host)) {
		a.host = SPAN("");
	}
	a.default_port = a.port == usual;
	return a;
}

static void on_found(void *arg)
{
	wire_dial_found(CHECKED(struct transport, arg, WIRE_MAGIC));
}

static void on_resolver_closed(void *arg)
{
	wire_release(CHECKED(struct transport, arg, WIRE_MAGIC));
}

static const struct resolver_events resolver_events = {on_found, on_resolver_closed};

/* The resolver finds no address of an empty host. */
static void set_backend(struct transport *w, const struct upstream_target *target)
{
	const struct authority a = parse_url(target->url);
	const char *open = a.bracketed ? "[" : "", *close = a.bracketed ? "]" : "";
	int len = (int)a.host.len;
	w->name = xasprintf("%s%.*s%s:%u", open, len, a.host.data, close, a.port);
	w->host = a.default_port ? xasprintf("%s%.*s%s", open, len, a.host.data, close)
	                         : xstrdup(w->name);
	char *host = span_dup(a.host);
	w->resolver = resolver_create(w->loop, host, a.port, &resolver_events, w);
	free(host);
	if (target->by_curl || strcmp(a.scheme, "https") == 0) {
		wire_curl_init(w, a.scheme, target->ca_file);
	}
}

/* Creation and destruction */

struct transport *transport_create(struct uv_loop_s *loop, const struct upstream_target *target)
{
	struct transport *w = xmalloc(sizeof(*w));
	memset(w, 0, offsetof(struct transport, in));
	w->magic = WIRE_MAGIC;
	w->loop = loop;
	w->on_sweep = on_sweep;
	w->on_turn = on_turn;
	w->open = 4; /* two timers, the turn, the resolver */
	w->connect_timeout = target->connect_timeout;
	w->idle_timeout = target->idle_timeout;
	w->strays = target->strays;
	w->budget = target->budget;
	w->max_idle_age = target->max_idle_age ? target->max_idle_age : KEPT_AGE;
	w->sweep_ms = sweep_period(w);
	list_init(&w->active);
	list_init(&w->turns);
	list_init(&w->resolving);
	list_init(&w->kept);
	uv_timer_init(loop, &w->sweep);
	uv_timer_init(loop, &w->attempt_timer);
	uv_idle_init(loop, &w->turn);
	w->sweep.data = w->attempt_timer.data = w->turn.data = w;
	/* Only active exchanges keep the loop alive; kept connections must not. */
	uv_unref((uv_handle_t *)&w->sweep);
	uv_unref((uv_handle_t *)&w->attempt_timer);
	set_backend(w, target);
	return w;
}

static void on_closed(uv_handle_t *handle)
{
	wire_release(CHECKED(struct transport, handle->data, WIRE_MAGIC));
}

void transport_destroy(struct transport *w)
{
	if (!w) {
		return;
	}
	CHECKED(struct transport, w, WIRE_MAGIC);
	expect(list_empty(&w->active));
	w->closing = true;
	wire_pool_drop_all(w);
	uv_close((uv_handle_t *)&w->sweep, on_closed);
	uv_close((uv_handle_t *)&w->attempt_timer, on_closed);
	uv_close((uv_handle_t *)&w->turn, on_closed);
	wire_curl_finish(w);
	resolver_destroy(w->resolver);
}

bool transport_switches(const struct transport *w)
{
	return !w->multi;
}
