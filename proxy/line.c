#include "proxy/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/shared.h"

#define MAX_IDLE_AGE (4 * UINT64_C(1000000000))

struct line *line_create(struct uv_loop_s *loop, struct shared *s, struct lineup *lineup,
        const struct backend_settings *b)
{
	struct line *l = xmalloc(sizeof(*l));
	*l = (struct line){
	        .refs = 1,
	        .lineup = lineup_ref(lineup),
	        .settings = b,
	        .transport = transport_create(loop,
	                &(struct upstream_target){
	                        .url = b->url,
	                        .ca_file = b->ca_file,
	                        .connect_timeout = b->connect_timeout,
	                        .idle_timeout = b->idle_timeout,
	                        .max_idle_age = MAX_IDLE_AGE,
	                        .strays = &s->figures[FIGURE_STRAYS],
	                        .budget = &s->budget,
	                        .by_curl = lineup->settings->by_curl,
	                }),
	};
	return l;
}

struct line *line_ref(struct line *l)
{
	l->refs++;
	return l;
}

void line_unref(struct line *l)
{
	if (l && --l->refs == 0) {
		transport_destroy(l->transport);
		lineup_unref(l->lineup);
		free(l);
	}
}

bool line_reaches(
        const struct line *l, const struct lineup *lineup, const struct backend_settings *b)
{
	const struct backend_settings *a = l->settings;
	return strcmp(a->url, b->url) == 0 && settings_same_text(a->ca_file, b->ca_file) &&
	       a->connect_timeout == b->connect_timeout && a->idle_timeout == b->idle_timeout &&
	       l->lineup->settings->by_curl == lineup->settings->by_curl;
}
