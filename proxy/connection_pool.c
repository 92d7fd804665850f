#include "proxy/connection_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/shared.h"

#define MAX_IDLE_AGE (4 * UINT64_C(1000000000))

struct connection_pool *connection_pool_create(struct uv_loop_s *loop, struct shared *s,
        struct config_snapshot *snapshot, const struct backend_settings *b)
{
	struct connection_pool *p = xmalloc(sizeof(*p));
	*p = (struct connection_pool){
	        .refs = 1,
	        .snapshot = config_snapshot_ref(snapshot),
	        .settings = b,
	        .transport = transport_create(loop,
	                &(struct upstream_target){
	                        .url = b->url,
	                        .ca_file = b->ca_file,
	                        .connect_timeout = b->connect_timeout,
	                        .idle_timeout = b->idle_timeout,
	                        .max_idle_age = MAX_IDLE_AGE,
	                        .strays = &s->counters[COUNTER_STRAYS],
	                        .budget = &s->budget,
	                        .by_curl = snapshot->settings->by_curl,
	                }),
	};
	return p;
}

struct connection_pool *connection_pool_ref(struct connection_pool *p)
{
	p->refs++;
	return p;
}

void connection_pool_unref(struct connection_pool *p)
{
	if (p && --p->refs == 0) {
		transport_destroy(p->transport);
		config_snapshot_unref(p->snapshot);
		free(p);
	}
}

bool connection_pool_reaches(const struct connection_pool *p,
        const struct config_snapshot *snapshot, const struct backend_settings *b)
{
	const struct backend_settings *a = p->settings;
	return strcmp(a->url, b->url) == 0 && same_text(a->ca_file, b->ca_file) &&
	       a->connect_timeout == b->connect_timeout && a->idle_timeout == b->idle_timeout &&
	       p->snapshot->settings->by_curl == snapshot->settings->by_curl;
}
