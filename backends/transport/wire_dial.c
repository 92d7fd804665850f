#include <errno.h>
#include <stdlib.h>

#include "backends/transport/wire.h"
#include "base/clock.h"
#include "base/mem.h"

#define ATTEMPT_DELAY_MS 250

static bool has_next_address(const struct upstream *x)
{
	return x->addresses && x->next_address < x->addresses->n;
}

void wire_dial_stop(struct upstream *x)
{
	list_remove(&x->resolving);
	LIST_EACH(struct wire_connection, c, link, &x->dials)
	{
		wire_connection_close(c);
	}
	free(x->addresses);
	x->addresses = NULL;
}

/* The exchange does not end at once, but in a later round of the loop: callers may go through a list
 * of exchanges. */
static void fail(struct upstream *x, const char *cause, const char *detail)
{
	x->on_dialed(x, NULL, cause, detail);
}

static void set_problem(struct upstream *x, const char *problem)
{
	snprintf(x->dial_problem, sizeof(x->dial_problem), "%s", problem);
}

static void dial_next(struct upstream *x);

/* Tries the next address of each exchange whose last attempt has not succeeded in time. */
static void on_attempt_timer(uv_timer_t *timer)
{
	struct transport *w = CHECKED(struct transport, timer->data, WIRE_MAGIC);
	uint64_t now = clock_mono();
	LIST_EACH(struct upstream, x, active, &w->active)
	{
		if (x->state != WIRE_DIALING || !has_next_address(x)) {
			continue;
		}
		if (now - x->dial_last >= ATTEMPT_DELAY_MS * UINT64_C(1000000)) {
			dial_next(x);
		} else {
			uv_timer_start(&w->attempt_timer, on_attempt_timer, ATTEMPT_DELAY_MS, 0);
		}
	}
}

static void on_connect(struct wire_connection *c, const char *problem)
{
	struct upstream *x = c->user;
	if (problem) {
		set_problem(x, problem);
		wire_connection_close(c);
		dial_next(x);
		return;
	}
	list_remove(&c->link);
	wire_dial_stop(x);
	x->connect_us = MAX((clock_mono() - x->dial_begun) / 1000, UINT64_C(1));
	x->on_dialed(x, c, NULL, NULL);
}

static const struct wire_connection_events EVENTS = {.on_connect = on_connect};

/* Begins an attempt with the next address. Earlier attempts continue. */
static void dial_next(struct upstream *x)
{
	struct transport *w = x->wire;
	while (has_next_address(x)) {
		struct wire_connection *c = wire_connection_create(w, x, &EVENTS);
		int r = wire_connection_connect(c, &x->addresses->items[x->next_address++]);
		if (r == 0) {
			list_append(&x->dials, &c->link);
			x->dial_last = clock_mono();
			if (has_next_address(x) &&
			        !uv_is_active((uv_handle_t *)&w->attempt_timer)) {
				uv_timer_start(
				        &w->attempt_timer, on_attempt_timer, ATTEMPT_DELAY_MS, 0);
			}
			return;
		}
		set_problem(x, uv_strerror(r));
		wire_connection_close(c);
	}
	if (list_empty(&x->dials)) {
		resolver_expire(w->resolver);
		fail(x, x->dial_problem, NULL);
	}
}

static void dial(struct upstream *x)
{
	struct transport *w = x->wire;
	const struct addresses *addresses;
	int r = resolver_get(w->resolver, &addresses);
	if (r == -EAGAIN) {
		list_append(&w->resolving, &x->resolving);
		return;
	}
	if (r < 0) {
		fail(x, "the host's name has no address", resolver_problem(w->resolver));
		return;
	}
	x->addresses = xmemdup(addresses, sizeof(*addresses));
	x->next_address = 0;
	dial_next(x);
}

void wire_dial(struct upstream *x, void (*on_dialed)(struct upstream *x, struct wire_connection *c,
                                           const char *cause, const char *detail))
{
	x->on_dialed = on_dialed;
	x->state = WIRE_DIALING;
	x->dial_begun = clock_mono();
	dial(x);
}

void wire_dial_found(struct transport *w)
{
	struct list round;
	list_take_all(&round, &w->resolving);
	while (!list_empty(&round)) {
		struct upstream *x = LIST_ITEM(struct upstream, resolving, round.next);
		list_remove(&x->resolving);
		dial(x);
	}
}
