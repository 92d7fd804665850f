#include <errno.h>
#include <stdlib.h>

#include "backends/transport/wire.h"
#include "base/clock.h"
#include "base/mem.h"

#define HURRY_MS 250

static bool has_more(const struct wire_exchange *x)
{
	return x->ways && x->next_way < x->ways->n;
}

void wire_dial_stop(struct wire_exchange *x)
{
	list_remove(&x->unnamed);
	LIST_EACH(struct wire_connection, c, link, &x->dials)
	{
		wire_connection_close(c);
	}
	free(x->ways);
	x->ways = NULL;
}

static void fail(struct wire_exchange *x, const char *cause, const char *detail)
{
	x->on_dialed(x, NULL, cause, detail);
}

static void dial_next(struct wire_exchange *x);

/* Tries the next address of each exchange whose last one has not answered for long enough. */
static void on_hurry(uv_timer_t *timer)
{
	struct wire *w = CHECKED(struct wire, timer->data, WIRE_MAGIC);
	uint64_t now = clock_mono();
	LIST_EACH(struct wire_exchange, x, active, &w->active)
	{
		if (x->state != WIRE_DIALING || !has_more(x)) {
			continue;
		}
		if (now - x->dial_last >= HURRY_MS * UINT64_C(1000000)) {
			dial_next(x);
		} else {
			uv_timer_start(&w->hurry, on_hurry, HURRY_MS, 0);
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

/* Begins with the next address; those before it go on. */
static void dial_next(struct wire_exchange *x)
{
	struct wire *w = x->wire;
	while (has_more(x)) {
		struct wire_connection *c = wire_connection_create(w, x, &EVENTS);
		int r = wire_connection_connect(c, &x->ways->items[x->next_way++]);
		if (r == 0) {
			list_append(&x->dials, &c->link);
			x->dial_last = clock_mono();
			if (has_more(x) && !uv_is_active((uv_handle_t *)&w->hurry)) {
				uv_timer_start(&w->hurry, on_hurry, HURRY_MS, 0);
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
	const struct addresses *ways;
	int r = resolver_get(w->resolver, &ways);
	if (r == -EAGAIN) {
		list_append(&w->unnamed, &x->unnamed);
		return;
	}
	if (r < 0) {
		fail(x, "the host's name has no address", resolver_problem(w->resolver));
		return;
	}
	x->ways = xmemdup(ways, sizeof(*ways));
	x->next_way = 0;
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
	list_take_all(&round, &w->unnamed);
	while (!list_empty(&round)) {
		struct wire_exchange *x = LIST_ITEM(struct wire_exchange, unnamed, round.next);
		list_remove(&x->unnamed);
		dial(x);
	}
}
