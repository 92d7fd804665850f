#include "analyzer/report/unjudged.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"

static uint64_t compared(const struct analysis_group *g)
{
	uint64_t n = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		n += g->by[d].pairs;
	}
	return n;
}

static uint64_t sum_of(const uint64_t counts[N_OUTCOMES])
{
	uint64_t n = 0;
	for (size_t i = 0; i < N_OUTCOMES; i++) {
		n += counts[i];
	}
	return n;
}

/* One kind of pairs that were left out. */
static void put_kind(struct buf *to, uint64_t n, const char *what, const char *name)
{
	if (n > 0) {
		buf_printf(to, "%s%" PRIu64 " %s%s", to->len ? ", " : "", n, what, name);
	}
}

static char *kinds_of(const struct analysis_group *g)
{
	const struct left_out *l = &g->left_out;
	struct buf text = {0};
	put_kind(&text, l->base_error, "with an error from ", g->base);
	put_kind(&text, l->test_error, "with an error from ", g->test);
	put_kind(&text, sum_of(l->base_cut), "with an answer that was cut or failed, of ", g->base);
	put_kind(&text, sum_of(l->test_cut), "with an answer that was cut or failed, of ", g->test);
	put_kind(&text, l->unfinished, "without a known finish reason", "");
	put_kind(&text, l->unreadable, "that can't be read", "");
	put_kind(&text, l->unread, "with content that plumbline does not read", "");
	put_kind(&text, l->unrecorded, "without a recorded body", "");
	put_kind(&text, l->metadata, "of which no text is kept", "");
	return buf_steal(&text);
}

char *unjudged_reason(const struct analysis_group *g)
{
	uint64_t n = compared(g), out = left_out_total(&g->left_out);
	if (n == 0 && out == 0) {
		return xstrdup("no two answers could be held against each other");
	}
	char *kinds = kinds_of(g), *text;
	if (n == 0) {
		text = xasprintf("all %" PRIu64 " pairs were left out (%s)", out, kinds);
	} else if (out == 0) {
		text = xasprintf(
		        "none of %" PRIu64 " pairs were decoded greedily on both sides", n);
	} else {
		text = xasprintf("none of %" PRIu64 " pairs were decoded greedily on both sides, "
		                 "and %" PRIu64 " more were left out (%s)",
		        n, out, kinds);
	}
	free(kinds);
	return text;
}

char *unjudged_reason_of_all(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		if (!trials || !g->is_floor) {
			char *reason = unjudged_reason(g);
			const char *advice =
			        compared(g) > 0 ? "; requests with temperature 0 give one" : "";
			char *text = xasprintf("%s against %s: %s, so there is no verdict%s",
			        g->test, g->base, reason, advice);
			free(reason);
			return text;
		}
	}
	return xstrdup("there is nothing to judge");
}
