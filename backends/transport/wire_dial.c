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

static void on_hurry(uv_timer_t *timer)
{
	struct wire *w = CHECKED(struct wire, timer->data, WIRE_MAGIC);
	uint64_t now = clock_mono();
	LIST_EACH(struct wire_exchange, x, active, &w->active)
	{
		if (x->state == WIRE_DIALING && has_more(x)) {
			wire_dial_hurry(x, now);
		}
	}
}

/* Begins with the next address; those before it go on. */
static void dial_next(struct wire_exchange *x)
{
	struct wire *w = x->wire;
	while (has_more(x)) {
		struct wire_connection *c = wire_connection_create(w, x);
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
		names_expire(w->names);
		wire_give_up(x, UPSTREAM_REFUSED, uv_strerror(x->dial_error), NULL);
	}
}

void wire_dial_hurry(struct wire_exchange *x, uint64_t now)
{
	struct wire *w = x->wire;
	if (now - x->dial_last >= HURRY_MS * UINT64_C(1000000)) {
		dial_next(x);
	} else {
		uv_timer_start(&w->hurry, on_hurry, HURRY_MS, 0);
	}
}

void wire_dial(struct wire_exchange *x)
{
	struct wire *w = x->wire;
	const struct addresses *ways;
	if (x->state != WIRE_DIALING) {
		x->state = WIRE_DIALING;
		x->dial_begun = clock_mono();
	}
	int r = names_get(w->names, &ways);
	if (r == -EAGAIN) {
		list_append(&w->unnamed, &x->unnamed);
		return;
	}
	if (r < 0) {
		wire_give_up(x, UPSTREAM_REFUSED, "the host's name has no address",
		        names_problem(w->names));
		return;
	}
	x->ways = xmemdup(ways, sizeof(*ways));
	x->next_way = 0;
	dial_next(x);
}

void wire_dialed(struct wire_connection *c, int status)
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
	x->connection = c;
	x->state = WIRE_TALKING;
	x->connect_us = MAX((clock_mono() - x->dial_begun) / 1000, UINT64_C(1));
	if (wire_connection_read(c) < 0) {
		wire_give_up(x, UPSTREAM_BROKEN, "the connection can't be read", NULL);
		return;
	}
	wire_send(x);
}
