#include <errno.h>
#include <stdlib.h>

#include "backends/transport/wire.h"
#include "base/clock.h"
#include "base/mem.h"

#define ATTEMPT_DELAY_MS 250

static bool has_next_address(const struct wire_exchange *x)
{
	return x->addresses && x->next_address < x->addresses->n;
}

void wire_dial_stop(struct wire_exchange *x)
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
static void fail(struct wire_exchange *x, const char *cause, const char *detail)
{
	x->on_dialed(x, NULL, cause, detail);
}

static void dial_next(struct wire_exchange *x);

/* Tries the next address of each exchange whose last attempt has not succeeded in time. */
static void on_attempt_timer(uv_timer_t *timer)
{
	struct wire *w = CHECKED(struct wire, timer->data, WIRE_MAGIC);
	uint64_t now = clock_mono();
	LIST_EACH(struct wire_exchange, x, active, &w->active)
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

static void on_connect(struct wire_connection *c, int status)
{
	struct wire_exchange *x = c->user;
	if (status < 0) {
		x->dial_error = status;
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
static void dial_next(struct wire_exchange *x)
{
	struct wire *w = x->wire;
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
		x->dial_error = r;
		wire_connection_close(c);
	}
	if (list_empty(&x->dials)) {
		resolver_expire(w->resolver);
		fail(x, uv_strerror(x->dial_error), NULL);
	}
}

static void dial(struct wire_exchange *x)
{
	struct wire *w = x->wire;
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

void wire_dial(struct wire_exchange *x,
        void (*on_dialed)(struct wire_exchange *x, struct wire_connection *c, const char *cause,
                const char *detail))
{
	x->on_dialed = on_dialed;
	x->state = WIRE_DIALING;
	x->dial_begun = clock_mono();
	dial(x);
}

void wire_dial_found(struct wire *w)
{
	struct list round;
	list_take_all(&round, &w->resolving);
	while (!list_empty(&round)) {
		struct wire_exchange *x = LIST_ITEM(struct wire_exchange, resolving, round.next);
		list_remove(&x->resolving);
		dial(x);
	}
}
