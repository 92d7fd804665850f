#include "replay/campaign/replay_options.h"

#include <inttypes.h>
#include <stdlib.h>

/* Writes the options that only recipes set. */
static void put_backend(const struct replay_backend_options *w, struct buf *to)
{
	if (w->thinking != THINKING_AS_ASKED) {
		buf_printf(to, "|thinking %d", (int)w->thinking);
	}
	if (w->completions_template) {
		buf_printf(to, "|template %s", template_name(w->completions_template));
	}
	for (size_t i = 0; i < w->n_members; i++) {
		buf_printf(to, "|set %s %s", w->members[i].name, w->members[i].json);
	}
}

void replay_options_put(const struct replay_options *o, struct buf *to)
{
	char *real = realpath(o->source, NULL);
	buf_printf(to, "%s|%s|%s|%s|%d|%d|%d", real ? real : o->source, o->backend.to,
	        o->backend.name ? o->backend.name : "", o->backend.model ? o->backend.model : "",
	        o->backend.has_align, (int)o->backend.align, o->no_logprobs ? -1 : o->top);
	buf_printf(to, "|%d|%d|%u|%a|%d|%a|%a", o->no_usage, (int)o->load, o->concurrency,
	        o->pace.rates[0], (int)o->arrivals, o->burstiness, o->speed);
	buf_printf(to, "|%d|%" PRIu64 "|%" PRIu64 "|%" PRIu32 "|%a|%d", (int)o->order, o->seed,
	        o->limit, o->extends ? 0 : o->repeats, o->rules.share, o->rules.by_session);
	for (size_t i = 0; i < o->rules.filters.n; i++) {
		const struct filter *f = &o->rules.filters.items[i];
		buf_printf(to, "|%d%d%s", (int)f->key, f->not, f->value);
	}
	if (o->spread == SPREAD_ROUND_ROBIN) {
		buf_append_str(to, "|spread");
		for (size_t i = 0; i < o->n_to; i++) {
			buf_printf(to, " %s", o->to[i]);
		}
	}
	if (o->history) {
		buf_printf(to, "|history %d", o->history);
	}
	buf_append_str(to, o->even ? "|even" : "");
	if (o->load == LOAD_RATE && o->pace.shape != PACE_STEADY) {
		buf_append_str(to, "|pace ");
		pace_put(&o->pace, to);
	}
	put_backend(&o->backend, to);
	if (o->units.time_ns || o->units.block_tokens) {
		buf_printf(
		        to, "|units %" PRIu64 " %" PRId64, o->units.time_ns, o->units.block_tokens);
	}
	if (o->redacted) {
		buf_append_str(to, "|redacted");
	}
	if (o->think.is_set) {
		buf_printf(to, "|think %" PRIu64 " %d", o->think.fixed, o->think.recorded);
	}
	buf_append_str(to, o->fresh ? "|fresh" : "");
	if (o->cancel.share > 0) {
		buf_printf(to, "|cancel %a %" PRIu64 " %" PRIu64, o->cancel.share, o->cancel.pieces,
		        o->cancel.after);
	}
	free(real);
}
