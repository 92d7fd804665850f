#include "backends/transport/wire.h"
#include "base/clock.h"

#define KEPT_LIMIT 1024

static void drop_kept(struct wire_connection *c)
{
	c->wire->n_kept--;
	wire_connection_close(c);
}

/* Bytes that arrive on an idle connection must not reach a later request. */
static void on_data(struct wire_connection *c, const char *data, size_t len)
{
	wire_count_stray(c->wire);
	drop_kept(c);
}

static void on_end(struct wire_connection *c, int status)
{
	drop_kept(c);
}

/* Nothing is written to a kept connection. */
static const struct wire_connection_events EVENTS = {.on_data = on_data, .on_end = on_end};

bool wire_pool_may_keep(const struct http_head *head, bool is_head)
{
	bool announced = (head->has_length && head->length > 0) ||
	                 http_field(head, "transfer-encoding").data;
	if (!head->keep_alive || head->minor == 0) {
		return false;
	}
	if (is_head) {
		return head->has_length && !announced;
	}
	return !announced || (head->status != 204 && head->status != 304);
}

void wire_pool_keep(struct wire_connection *c)
{
	struct transport *w = c->wire;
	if (wire_connection_read(c) < 0) {
		wire_connection_close(c);
		return;
	}
	http_parser_next(c->parser);
	c->user = NULL;
	c->events = &EVENTS;
	c->carried = true;
	c->idle_since = clock_mono();
	list_append(&w->kept, &c->link);
	uv_unref(&c->socket.handle);
	wire_sweep_on(w);
	if (++w->n_kept > KEPT_LIMIT) {
		drop_kept(LIST_ITEM(struct wire_connection, link, w->kept.next));
	}
}

static bool is_old(const struct wire_connection *c, uint64_t now)
{
	return now - MIN(now, c->idle_since) > c->wire->max_idle_age;
}

struct wire_connection *wire_pool_take(struct transport *w)
{
	uint64_t now = clock_mono();
	while (!list_empty(&w->kept)) {
		struct wire_connection *c = LIST_ITEM(struct wire_connection, link, w->kept.prev);
		if (is_old(c, now) || !wire_connection_is_clean(c)) {
			drop_kept(c);
			continue;
		}
		list_remove(&c->link);
		w->n_kept--;
		uv_ref(&c->socket.handle);
		return c;
	}
	return NULL;
}

void wire_pool_drop_old(struct transport *w, uint64_t now)
{
	while (!list_empty(&w->kept)) {
		struct wire_connection *oldest =
		        LIST_ITEM(struct wire_connection, link, w->kept.next);
		if (!is_old(oldest, now)) {
			break;
		}
		drop_kept(oldest);
	}
}

void wire_pool_drop_all(struct transport *w)
{
	while (!list_empty(&w->kept)) {
		drop_kept(LIST_ITEM(struct wire_connection, link, w->kept.next));
	}
}
