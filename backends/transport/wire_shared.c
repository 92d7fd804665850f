#include <stdlib.h>

#include "backends/transport/wire.h"

void wire_ask_turn(struct upstream *x)
{
	if (!x->turn.next) {
		list_append(&x->wire->turns, &x->turn);
		uv_idle_start(&x->wire->turn, x->wire->on_turn);
	}
}

void wire_sweep_on(struct transport *w)
{
	if (!uv_is_active((uv_handle_t *)&w->sweep)) {
		uv_timer_start(&w->sweep, w->on_sweep, w->sweep_ms, w->sweep_ms);
	}
}

void wire_count(const struct transport *w, size_t bytes)
{
	if (w->budget) {
		budget_force(w->budget, bytes);
	}
}

void wire_uncount(const struct transport *w, size_t bytes)
{
	if (w->budget) {
		budget_give(w->budget, bytes);
	}
}

void wire_count_stray(const struct transport *w)
{
	if (w->strays) {
		atomic_fetch_add_explicit(w->strays, 1, memory_order_relaxed);
	}
}

void wire_release(struct transport *w)
{
	if (--w->open == 0) {
		free(w->host);
		free(w->name);
		free(w->url);
		free(w->ca_file);
		buf_finish(&w->out);
		w->magic = 0;
		free(w);
	}
}
